-- A third shape in which a webhook is told: the forms of Twilio.
ALTER TYPE "webhook_format" ADD VALUE 'twilio';
