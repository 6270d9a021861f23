-- The relay's index as it was before, without the number: messages_due_idx has taken its place.
DROP INDEX CONCURRENTLY IF EXISTS "messages_next_look_idx";
