-- The country whose numbering plan Surface A reads an account's recipients by. NULL: they are digits with country code, as before.
ALTER TABLE "accounts" ADD COLUMN "default_country" CHAR(2);
