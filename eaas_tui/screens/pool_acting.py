"""The keys that act on queues, nodes and cards, for every screen that shows some."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from eaas.node_views import CardView, NodeView
from eaas.views import QueueView
from eaas_tui.model.card_cells import is_shut
from eaas_tui.screens.acting import ActingScreen

if TYPE_CHECKING:
    from eaas_tui.screens.confirm import Yes


class PoolActingScreen(ActingScreen):
    """A screen whose keys also pause queues, drain nodes, and keep jobs off cards.

    What takes room away from jobs asks first; what gives it back does not.
    """

    def chosen_queue(self) -> QueueView | None:
        """Return the queue that the keys are about."""
        return None

    def chosen_node(self) -> NodeView | None:
        """Return the node that the keys are about."""
        return None

    def chosen_card(self) -> CardView | None:
        """Return the card that the keys are about."""
        return None

    def action_toggle_queue(self) -> None:
        """Pause the queue, or resume it."""
        queue = self.chosen_queue()
        if queue is None:
            self._say("No queue is selected: tab goes to the queues")
        elif self._may_act():
            if queue.paused:
                self.actions.pause_queue(queue.ref, paused=False)
                return
            self._ask(
                f"Pause queue {queue.ref}?",
                [f"{queue.waiting} waiting jobs stay, {queue.running} running ones go on"],
                yes=f"Pause {queue.ref}",
                then=lambda: self.actions.pause_queue(queue.ref),
            )

    def action_toggle_drain(self) -> None:
        """Drain the node, or resume it."""
        node = self.chosen_node()
        if node is None:
            self._say("No node is selected")
        elif self._may_act():
            if node.state == "Draining":
                self.actions.resume(node.name)
                return
            self._ask(
                f"Drain node {node.name}?",
                [f"{len(node.jobs)} jobs on it go on; it takes no new ones until it is resumed"],
                yes=f"Drain {node.name}",
                then=lambda: self.actions.drain(node.name),
            )

    def action_toggle_card(self) -> None:
        """Keep jobs off the card, or offer it again."""
        card = self.chosen_card()
        if card is None:
            self._say("No card is selected")
        elif self._may_act():
            if is_shut(card):
                self.actions.include_card(card.node, card.uuid)
                return
            self._ask(
                f"Exclude card {card.index} of {card.node}?",
                [_holders(card), "No job is given it until it is included again"],
                yes=f"Exclude card {card.index}",
                then=lambda: self.actions.exclude_card(card.node, card.uuid),
            )

    def action_clean_card(self) -> None:
        """Say that a dirty or sick card is clean."""
        card = self.chosen_card()
        if card is None:
            self._say("No card is selected")
        elif card.state not in ("dirty", "sick"):
            self._say(
                f"Card {card.index} of {card.node} is {card.state}: there is nothing to clean"
            )
        elif self._may_act():
            self._ask(
                f"Is card {card.index} of {card.node} clean?",
                [card.reason.text if card.reason else f"It is {card.state}",
                 "You vouch for it: jobs are given it again"],
                yes="It is clean",
                then=lambda: self.actions.clean_card(card.node, card.uuid),
            )  # fmt: skip

    def _may_act(self) -> bool:
        """Tell whether anything can be asked for now; say why not."""
        refusal = self.actions.refusal()
        if refusal is not None:
            self._say(f"Not done: {refusal}")
        return refusal is None

    def _ask(self, title: str, lines: list[str], *, yes: str, then: Callable[[], None]) -> None:
        from eaas_tui.screens.confirm import Confirm

        def answered(answer: "Yes | None") -> None:
            if answer is not None:
                then()

        self.app.push_screen(Confirm(title, lines, yes=yes, no="Leave it"), answered)


def _holders(card: CardView) -> str:
    if not card.claims:
        return "Nobody holds it now"
    jobs = ", ".join(f"job {claim.shown} of {claim.user}" for claim in card.claims)
    return f"What holds it goes on: {jobs}"
