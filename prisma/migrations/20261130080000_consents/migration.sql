-- The ledger of consent: who granted or withdrew consent to messages, when and in which words. Additive: processes of the
-- previous version write no entries.

-- CreateEnum
CREATE TYPE "consent_source" AS ENUM ('keyword', 'whatsapp', 'import', 'api', 'form', 'double_opt_in', 'operator');

-- CreateTable
CREATE TABLE "consents" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "kind" "channel_kind" NOT NULL,
    "sender" TEXT NOT NULL,
    "phone" TEXT NOT NULL,
    "is_main" BOOLEAN NOT NULL,
    "purpose" "message_purpose" NOT NULL,
    "is_granted" BOOLEAN NOT NULL,
    "source" "consent_source" NOT NULL,
    "name" TEXT,
    "wording" TEXT,
    "wording_version" TEXT,
    "ip" TEXT,
    "url" TEXT,
    "decided_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "consents_pkey" PRIMARY KEY ("id", "phone")
);

-- CreateIndex
CREATE INDEX "consents_account_id_phone_kind_sender_purpose_decided_at_idx" ON "consents"("account_id", "phone", "kind", "sender", "purpose", "decided_at");

-- CreateIndex
CREATE INDEX "consents_account_id_kind_sender_id_idx" ON "consents"("account_id", "kind", "sender", "id");

-- AddForeignKey
ALTER TABLE "consents" ADD CONSTRAINT "consents_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- By hand: sign-in codes need no consent.
ALTER TABLE "consents" ADD CONSTRAINT "consents_purpose_check" CHECK ("purpose" <> 'verification');

-- By hand: an entry is evidence, so it is never changed. Erasing a person may only remove what identifies the person apart from
-- the address.
CREATE FUNCTION refuse_consent_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (to_jsonb(NEW) - '{name,wording,wording_version,ip,url}'::text[]) IS DISTINCT FROM (to_jsonb(OLD) - '{name,wording,wording_version,ip,url}'::text[])
     OR num_nonnulls(NEW.name, NEW.wording, NEW.wording_version, NEW.ip, NEW.url) > 0 THEN
    RAISE EXCEPTION 'an entry of the consent ledger cannot be changed' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER consents_unchanged BEFORE UPDATE ON "consents" FOR EACH ROW EXECUTE FUNCTION refuse_consent_change();
