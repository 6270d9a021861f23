ALTER TYPE "VerificationStatus" ADD VALUE 'canceled';

CREATE TYPE "SignInServiceType" AS ENUM ('verify', 'supabase', 'auth0', 'zitadel', 'authentik', 'keycloak', 'fusionauth');

CREATE TABLE "sign_in_services" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "type" "SignInServiceType" NOT NULL,
    "app_name" TEXT NOT NULL,
    "sender" TEXT NOT NULL,
    "locale" TEXT,
    "digits" SMALLINT NOT NULL,
    "whatsapp_from" TEXT,
    "template_id" TEXT,
    "template_language" TEXT,
    "secret" TEXT,
    "secret_hash" BYTEA,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "sign_in_services_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "sign_in_services_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "sign_in_services_account_id_idx" ON "sign_in_services"("account_id");

ALTER TABLE "verifications" ADD COLUMN "service_id" UUID, ADD COLUMN "checked_elsewhere" BOOLEAN NOT NULL DEFAULT false;
