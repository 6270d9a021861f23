-- SMS that are no text: of such a part the body is base64.

-- AlterTable
ALTER TABLE "inbound_parts" ADD COLUMN     "is_binary" BOOLEAN NOT NULL DEFAULT false;
