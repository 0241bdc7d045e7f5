"""What of a view is its owner's business, and the view without it."""

from msgspec.structs import replace

from eaas.node_views import CardView, NodeView
from eaas.views import JobView
from eaas_daemon.core.events import Caller
from eaas_daemon.core.model import Job
from eaas_daemon.core.picture import HIDDEN, Painter


def is_private_to(job: Job, caller: Caller) -> bool:
    """Tell whether the caller may see what is the owner's business."""
    return caller.admin or caller.user == job.user


def job_for(caller: Caller, painter: Painter, job: Job) -> JobView:
    """Return the job as this caller may see it, with what is true only now that it is asked."""
    return painter.job_now(job, private=is_private_to(job, caller))


def public_job(view: JobView) -> JobView:
    """Return the job as other people may see it."""
    hidden = {key: None for key in HIDDEN if key in view.spec}
    return replace(view, spec={**view.spec, **hidden}) if hidden else view


def public_card(view: CardView) -> CardView:
    """Return the card as members may see it: without the command lines of jobs.

    A command line tells what the job's ``command`` would, which is the owner's business.
    """
    if all(process.job is None or process.command is None for process in view.processes):
        return view
    processes = tuple(
        process if process.job is None else replace(process, command=None)
        for process in view.processes
    )
    return replace(view, processes=processes)


def public_node(view: NodeView) -> NodeView:
    """Return the node as members may see it."""
    cards = tuple(public_card(card) for card in view.cards)
    same = all(new is old for new, old in zip(cards, view.cards, strict=True))
    return view if same else replace(view, cards=cards)
