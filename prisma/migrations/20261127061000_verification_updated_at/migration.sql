-- When a sign-in code was sent, checked or ended last; null of those that only versions before wrote. Additive.
ALTER TABLE "verifications" ADD COLUMN     "updated_at" TIMESTAMPTZ(3);
