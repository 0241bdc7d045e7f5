-- Version 5: a claim may be a share of a card's memory. A whole card stands alone, as before; shares
-- stand beside each other as long as what they declare together is there.

ALTER TABLE claims ADD COLUMN memory_mib INTEGER; -- NULL: the whole card
ALTER TABLE claims ADD COLUMN of_mib INTEGER; -- what all shares of the card may come to

DROP INDEX one_claim_a_card;
CREATE UNIQUE INDEX one_whole_claim_a_card ON claims (node, card)
    WHERE released_at IS NULL AND memory_mib IS NULL;
CREATE UNIQUE INDEX one_claim_a_job ON claims (node, card, job) WHERE released_at IS NULL;

CREATE TRIGGER nobody_beside_a_whole_claim BEFORE INSERT ON claims
WHEN NEW.released_at IS NULL AND EXISTS (
    SELECT 1 FROM claims AS other
    WHERE other.node = NEW.node AND other.card = NEW.card AND other.released_at IS NULL
        AND (other.memory_mib IS NULL OR NEW.memory_mib IS NULL))
BEGIN
    SELECT RAISE(ABORT, 'claims: a whole card beside another claim on it');
END;

CREATE TRIGGER no_more_shares_than_memory BEFORE INSERT ON claims
WHEN NEW.released_at IS NULL AND NEW.memory_mib IS NOT NULL AND (
    NEW.memory_mib <= 0 OR NEW.of_mib IS NULL OR NEW.of_mib < NEW.memory_mib + (
        SELECT coalesce(sum(other.memory_mib), 0) FROM claims AS other
        WHERE other.node = NEW.node AND other.card = NEW.card AND other.released_at IS NULL))
BEGIN
    SELECT RAISE(ABORT, 'claims: more of a card''s memory than it has');
END;

-- One that has ended may have ended earlier: the clock was ahead when that was written.
CREATE TRIGGER a_claim_only_ends BEFORE UPDATE ON claims
WHEN (OLD.released_at IS NOT NULL
        AND (NEW.released_at IS NULL OR NEW.released_at > OLD.released_at))
    OR NEW.claimed_at > OLD.claimed_at OR NEW.node IS NOT OLD.node OR NEW.card IS NOT OLD.card
    OR NEW.job IS NOT OLD.job OR NEW.memory_mib IS NOT OLD.memory_mib
    OR NEW.of_mib IS NOT OLD.of_mib
BEGIN
    SELECT RAISE(ABORT, 'claims: a claim may only end');
END;
