-- The business profile of a WhatsApp number whose carrier keeps none.
ALTER TABLE "channels" ADD COLUMN "profile" JSONB;
