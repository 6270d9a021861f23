-- The octets of a part before decoding, so that a character that is divided between two parts is read whole. Processes of the version
-- before leave both columns empty, and their parts are joined as texts.
-- Additive.
ALTER TABLE "inbound_parts" ADD COLUMN     "encoding" TEXT,
ADD COLUMN     "octets" BYTEA;
