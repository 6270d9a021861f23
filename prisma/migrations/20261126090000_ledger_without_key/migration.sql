-- Each line that was written passed over every version of the account's row that a snapshot keeps, to see that the account is there.
-- A line is written from the account's row itself, and accounts are never deleted.
ALTER TABLE "ledger_entries" DROP CONSTRAINT "ledger_entries_account_id_fkey";
