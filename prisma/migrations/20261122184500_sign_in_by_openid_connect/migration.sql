-- Sign-ins by OpenID Connect that were begun, and by which way sessions were.

-- AlterTable
ALTER TABLE "operator_sessions" ADD COLUMN     "way" TEXT;

-- CreateTable
CREATE TABLE "oidc_sign_ins" (
    "id" UUID NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "operator_id" UUID,
    "origin" TEXT NOT NULL,
    "return_to" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "oidc_sign_ins_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "oidc_sign_ins_token_hash_key" ON "oidc_sign_ins"("token_hash");

-- CreateIndex
CREATE INDEX "oidc_sign_ins_operator_id_idx" ON "oidc_sign_ins"("operator_id");

-- AddForeignKey
ALTER TABLE "oidc_sign_ins" ADD CONSTRAINT "oidc_sign_ins_operator_id_fkey" FOREIGN KEY ("operator_id") REFERENCES "operators"("id") ON DELETE CASCADE ON UPDATE CASCADE;
