-- By whom the bytes of a file are written, or handed over: whoever lost its lease must not give up the claim of another one.
-- Additive.
ALTER TABLE "media" ADD COLUMN     "claim" UUID;
ALTER TABLE "media_uploads" ADD COLUMN     "claim" UUID;
