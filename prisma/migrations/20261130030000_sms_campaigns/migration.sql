-- Campaigns that send a text by SMS. Additive; processes of the version before create only campaigns with a template.
ALTER TABLE "accounts" ADD COLUMN     "opt_out_line" TEXT;
ALTER TABLE "campaigns" ADD COLUMN     "opt_out_line" TEXT,
ADD COLUMN     "text" TEXT,
ALTER COLUMN "template_name" DROP NOT NULL,
ALTER COLUMN "language" DROP NOT NULL;
