"""``book``: book cards, list bookings, cancel one."""

import time

import click

from eaas.cli import complete
from eaas.cli.draw_bookings import booking_card, booking_table
from eaas.cli.group import Command
from eaas.cli.kinds import BookingNumber, Duration
from eaas.cli.line import Line, asks
from eaas.cli.local_times import local, moment_of
from eaas.cli.output import Lines
from eaas.client import Client
from eaas.units import utc_text
from eaas.views import Page
from eaas.wire.rest import CreateBooking

RULES = """Only admins book. While a booking runs, its cards start jobs of its people alone. Before
it, others' jobs (and its people's) start on them only if their timeout lets them be gone in time.
Nothing is killed: who is on a card at the start stays until it ends, and the answer says so; who
runs at the end runs on.

mini-eaas book list shows the bookings, mini-eaas book cancel ID gives one back."""


@click.command(cls=Command, epilog=RULES)
@click.option("--pool", metavar="POOL", shell_complete=complete.pools, help="Of which pool.")
@click.option("--gpus", type=int, metavar="N", required=True, help="How many cards.")
@click.option(
    "--from",
    "begin",
    default="now",
    metavar="TIME",
    help="When: 14:00 (the next one), '2026-03-01 14:00', or with Z (default: now).",
)
@click.option("--for", "lasts", type=Duration(), metavar="3h", help="How long.")
@click.option("--to", "end", metavar="TIME", help="Until when, in place of --for.")
@click.option("--user", metavar="USER", help="For whom (default: you).")
@click.option(
    "--queue",
    metavar="QUEUE",
    shell_complete=complete.queues,
    help="For whoever submits into this queue.",
)
@click.option("--gpu-type", metavar="TEXT", help="A part of the cards' model, or a node's label.")
@click.option("--note", metavar="TEXT", help="What it is for.")
@asks
async def book(
    line: Line,
    client: Client,
    /,
    pool: str | None,
    gpus: int,
    begin: str,
    lasts: float | None,
    end: str | None,
    user: str | None,
    queue: str | None,
    gpu_type: str | None,
    note: str | None,
) -> None:
    """Book cards for a class or a demo.

    Times are those of this machine's clock and zone; the answer says day and zone.
    """
    if (lasts is None) == (end is None):
        raise click.UsageError("say until when: --for 3h, or --to 17:00")
    now = local(time.time())
    starts = moment_of(begin, now)
    wanted = CreateBooking(
        gpus=gpus,
        pool=pool,
        user=user,
        queue=queue,
        start=None if begin == "now" else utc_text(starts.timestamp()),
        end=None if end is None else utc_text(moment_of(end, starts).timestamp()),
        for_s=lasts,
        gpu_type=gpu_type,
        note=note,
    )
    made = await client.book(wanted)
    for remark in made.remarks:
        line.out.remark(remark)
    line.out.answer(made, lambda: booking_card(made))


@click.command(cls=Command)
@click.option("--all", is_flag=True, help="Those too that ended within the last day.")
@asks
async def list_bookings(line: Line, client: Client, all: bool) -> None:
    """List the bookings.

    The next one comes first.
    """
    bookings = await client.bookings(all=all)
    line.out.answer(Page(bookings), lambda: [booking_table(bookings)])


@click.command(cls=Command)
@click.argument("id", type=BookingNumber(), shell_complete=complete.bookings)
@asks
async def show(line: Line, client: Client, id: int) -> None:
    """Show a booking and its cards."""
    view = await client.booking(id)
    line.out.answer(view, lambda: booking_card(view))


@click.command(cls=Command)
@click.argument("id", type=BookingNumber(), shell_complete=complete.bookings)
@asks
async def cancel(line: Line, client: Client, id: int) -> None:
    """Give back what is booked.

    What runs there runs on. An admin cancels any booking, and a user their own.
    """
    view = await client.cancel_booking(id)
    done = "was over already" if view.state == "over" else "is cancelled"
    line.out.answer(view, lambda: [Lines([f"booking {id} {done}"])])
