-- A message that a worker holds while what it belongs to is canceled: it goes out no more once its carrier refuses it. Additive.
ALTER TABLE "messages" ADD COLUMN     "cancel_reason" TEXT;
