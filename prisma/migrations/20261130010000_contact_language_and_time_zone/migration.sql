-- Language and time zone of a contact, as set. Additive; a process of the version before ignores them.

-- AlterTable
ALTER TABLE "contacts" ADD COLUMN     "language" TEXT,
ADD COLUMN     "time_zone" TEXT;
