/** Parameters: $1 maximum rows, $2 highest message ID, which limits the monthly tables to search. */
export const DELETE_ORPHANS = [
  `DELETE FROM message_parts WHERE ctid = ANY (ARRAY(
     SELECT p.ctid FROM message_parts p
     WHERE p.message_id <= $2::uuid AND NOT EXISTS (SELECT FROM messages m WHERE m.id = p.message_id AND m.id <= $2::uuid)
     LIMIT $1))`,
  `DELETE FROM message_tries WHERE ctid = ANY (ARRAY(
     SELECT t.ctid FROM message_tries t
     WHERE t.message_id <= $2::uuid AND NOT EXISTS (SELECT FROM messages m WHERE m.id = t.message_id AND m.id <= $2::uuid)
     LIMIT $1))`,
  `DELETE FROM message_holds WHERE ctid = ANY (ARRAY(
     SELECT h.ctid FROM message_holds h
     WHERE h.message_id <= $2::uuid AND NOT EXISTS (SELECT FROM messages m WHERE m.id = h.message_id AND m.id <= $2::uuid)
     LIMIT $1))`,
  `DELETE FROM superseded_receipts WHERE ctid = ANY (ARRAY(
     SELECT s.ctid FROM superseded_receipts s
     WHERE s.message_id <= $2::uuid AND NOT EXISTS (SELECT FROM messages m WHERE m.id = s.message_id AND m.id <= $2::uuid)
     LIMIT $1))`,
];
