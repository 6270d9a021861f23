-- When a part came here, by our clock: the carrier's time of it may be long past by then. Those that wait now are waited for anew.
-- Additive.
ALTER TABLE "inbound_parts" ADD COLUMN     "kept_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
