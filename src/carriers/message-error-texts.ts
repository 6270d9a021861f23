/** For the people who send messages; `FAILURE_CODES` explains Heliograph's own codes to developers. */
export interface MessageErrorText {
  meaning: string;
  advice: string;
}

/** Explanations by error code: Heliograph's own, then SMPP's command_status names and receipt states, then Meta's. */
const EXPLANATIONS: Readonly<Record<string, readonly [meaning: string, advice: string]>> = {
  ANSWER_LOST: [
    'The carrier did not respond, so it may or may not have the message.',
    'Wait for the receipt. The message is not refunded, because it may have been sent.',
  ],
  CANCELED: ['The message was canceled while it was queued.', 'Nothing was sent, and the price was refunded.'],
  CARRIER_FAILURE: ['The carrier failed with an unknown error.', 'Check the server’s log at this time.'],
  CODE_ENDED: [
    'The sign-in code was used or expired after ten minutes, before a carrier accepted the message.',
    'There is nothing to do; the price was refunded. If this happens often, check the carrier’s state.',
  ],
  CODE_UNREADABLE: [
    'The sign-in code was encrypted with a different secret than the sending process has.',
    'Set the same VERIFICATION_SECRET for all processes.',
  ],
  DESTINATION_REFUSED: [
    'The account’s spending guard does not allow messages to this number.',
    'An operator can allow the country or the number prefix under Settings → Account.',
  ],
  EXPIRED: [
    'The message expired before it was delivered.',
    'The phone was off or out of reach for too long. Send it again, or use a longer validity period.',
  ],
  QUIET_HOURS: [
    'Quiet hours left no moment within seven days in which the message could leave.',
    'Change the quiet hours of the account.',
  ],
  FREQUENCY_CAP: [
    'The recipient had already got as many marketing messages as the account allows.',
    'The account’s frequency cap is under Settings → Account.',
  ],
  INSUFFICIENT_BALANCE: [
    'The account did not have enough credit for the fallback SMS.',
    'Add credit. The fallback is not sent later.',
  ],
  INVALID_SENDER: [
    'The carrier does not accept this sender ID.',
    'Use a number of the account, or a registered name of 3 to 11 letters and digits.',
  ],
  LIMIT_REACHED: [
    'A limit of the spending guard was reached for the account or one of its keys.',
    'Wait for the hour, day or month to end, or ask an operator to raise the limit under Settings → Account.',
  ],
  NOT_CONFIGURED: [
    'The carrier or channel is not completely set up.',
    'An operator of the installation can check under Carriers what is missing.',
  ],
  NOT_SUBMITTED: ['The server stopped before it sent the message.', 'The message is sent when a server starts again.'],
  OPTED_OUT: [
    'The recipient has opted out of messages from this sender.',
    'Do not send to them. They can opt in again by writing START.',
  ],
  SENDING_HELD: [
    'Messages to this number range are temporarily held because of suspected SMS pumping.',
    'Wait until the hold ends, or release it under Settings → Account.',
  ],
  SMSC_DOWN: [
    'There was no connection to the SMSC.',
    'The message is retried. If this persists, check the connections under Carriers.',
  ],
  SMSC_THROTTLES: [
    'The SMSC throttled this carrier.',
    'The message is retried. If this happens often, lower the carrier’s rate.',
  ],
  THROTTLED: ['The carrier throttled its requests.', 'The message is retried automatically.'],
  TIMEOUT: [
    'The carrier did not respond in time.',
    'The message is retried, unless it may already have been accepted.',
  ],
  UNKNOWN_CARRIER: [
    'This carrier no longer exists.',
    'An operator of the installation can assign the channel to another carrier.',
  ],
  UNREACHABLE: [
    'The phone could not be reached.',
    'Check the number. If it is correct, the phone may be off or the number may not be in use.',
  ],

  ESME_RINVDSTADR: [
    'The SMSC does not accept this number.',
    'Check that it is complete, has its country code and is in use.',
  ],
  ESME_RINVSRCADR: [
    'The SMSC does not accept this sender.',
    'Ask the carrier which sender IDs you may use, and in which countries they must be registered.',
  ],
  ESME_RINVSRCTON: [
    'The SMSC does not accept this type of sender.',
    'Change the carrier’s settings for the sender’s type of number (TON).',
  ],
  ESME_RINVDSTTON: [
    'The SMSC does not accept this type of recipient.',
    'Change the carrier’s settings for the recipient’s type of number (TON).',
  ],
  ESME_RINVMSGLEN: ['The text is too long for the SMSC.', 'Shorten the text.'],
  ESME_RINVDCS: [
    'The SMSC does not accept this encoding.',
    'Use only characters of the GSM alphabet, or ask the carrier about UCS-2.',
  ],
  ESME_RINVEXPIRY: ['The SMSC does not accept this validity period.', 'Use a shorter one.'],
  ESME_RMSGQFUL: [
    'The SMSC’s queue is full.',
    'The message is retried. If this happens often, lower the carrier’s rate.',
  ],
  ESME_RTHROTTLED: [
    'Messages were sent faster than the SMSC allows.',
    'The message is retried. If this happens often, lower the carrier’s rate.',
  ],
  ESME_RSYSERR: ['The SMSC failed.', 'The message is retried. If this persists, ask the carrier.'],
  ESME_RSUBMITFAIL: [
    'The SMSC did not accept the message.',
    'Ask the carrier for the reason, with the message ID and time.',
  ],
  ESME_RPROHIBITED: [
    'The SMSC does not allow this.',
    'Ask the carrier which senders and countries your login may use.',
  ],
  ESME_RDELIVERYFAILURE: ['The SMSC could not deliver the message.', 'Check the number, and try again later.'],
  ESME_RUNKNOWNERR: ['The SMSC failed without a reason.', 'Ask the carrier, with the message ID and time.'],
  UNDELIV: ['The network could not deliver the message.', 'Check the number. The phone may not support SMS.'],
  REJECTD: [
    'The network refused the message.',
    'The sender or the text may be blocked. Ask the carrier, with the message ID and time.',
  ],
  DELETED: ['The SMSC deleted the message.', 'Ask the carrier for the reason, with the message ID and time.'],
  UNKNOWN: ['The SMSC does not know the message’s status.', 'Ask the carrier, with the message ID and time.'],

  '0': ['Meta does not accept the access token.', 'Enter a new one under Carriers.'],
  '190': ['Meta does not accept the access token.', 'Enter a new one under Carriers.'],
  '4': ['The app has sent too many requests to Meta.', 'The message is retried within the hour.'],
  '10': ['The access token lacks a permission.', 'Grant the permission to its system user at Meta.'],
  '368': ['Meta restricted the account.', 'Check the violation in the WhatsApp Manager, then resume the channel.'],
  '80007': ['The business account has sent too many requests to Meta.', 'The message is retried within the hour.'],
  '130429': ['Messages were sent faster than Meta allows for this number.', 'The message is retried.'],
  '130472': [
    'The recipient is part of a Meta experiment and gets no marketing messages.',
    'Do not retry. Contact them in another way.',
  ],
  '131000': ['Meta failed.', 'The message is retried. If this persists, check Meta’s status page.'],
  '131005': ['The access token lacks a permission.', 'Grant the permission to its system user at Meta.'],
  '131008': ['A parameter is missing.', 'Compare the message with the template.'],
  '131009': ['Meta does not accept the value of a parameter.', 'Compare the message with the template.'],
  '131016': ['A service of Meta is unavailable.', 'The message is retried.'],
  '131021': ['Sender and recipient are the same number.', 'Send to another number.'],
  '131026': [
    'The message cannot be delivered: the number does not use WhatsApp, has an old version of it or has not accepted its terms.',
    'Check the number, and consider an SMS fallback.',
  ],
  '131031': ['Meta locked the account.', 'Resolve this in the WhatsApp Manager, then resume the channel.'],
  '131037': ['The number’s display name is not approved.', 'Get it approved by Meta, then resume the channel.'],
  '131042': ['There is a payment problem at Meta.', 'Check the payment method at Meta.'],
  '131045': ['The number is not registered.', 'Register it at Meta, then resume the channel.'],
  '131062': [
    'The recipient hides their number, and Meta sends codes only to numbers.',
    'Ask for the number, or send the code by SMS.',
  ],
  '131047': [
    'More than 24 hours have passed since the recipient’s last message.',
    'Send a template. Free text is allowed only within 24 hours of the recipient’s last message.',
  ],
  '131048': [
    'Too many of this number’s messages were blocked or reported.',
    'Send fewer messages, and only to people who asked for them. Check the number’s quality rating at Meta.',
  ],
  '131049': [
    'Meta did not deliver the message, to protect its users from too many marketing messages.',
    'Try again much later.',
  ],
  '131051': ['Meta does not support this type of message.', 'Send text, a template, an image or a document.'],
  '131052': ['Meta could not download the file.', 'Check that its URL is public.'],
  '131053': ['The file could not be uploaded.', 'Check its type and size.'],
  '131056': ['Too many messages were sent to this recipient in a short time.', 'The message is retried.'],
  '131057': ['The account is in maintenance mode.', 'The message is retried.'],
  '132000': ['The number of parameters does not match the template.', 'Sync the templates and compare.'],
  '132001': [
    'The template does not exist in this language or is not approved.',
    'Sync the templates, and check its name and language.',
  ],
  '132005': ['The text is too long with its parameters filled in.', 'Shorten the parameters.'],
  '132007': ['The template violates a Meta policy.', 'Check the reason in the WhatsApp Manager and edit the template.'],
  '132012': ['The format of a parameter does not match the template.', 'Compare the message with the template.'],
  '132015': ['The template is paused because of low quality.', 'Edit it, or use another one.'],
  '132016': ['The template was disabled because of low quality.', 'Create another one.'],
  '133010': ['The number is not registered.', 'Register it at Meta, then resume the channel.'],
};

/** Returns null for unknown codes, for which the error's own message is shown. */
export function explainMessageError(code: string): MessageErrorText | null {
  const explanation = Object.hasOwn(EXPLANATIONS, code) ? EXPLANATIONS[code] : undefined;
  if (!explanation) return null;
  const [meaning, advice] = explanation;
  return { meaning, advice };
}
