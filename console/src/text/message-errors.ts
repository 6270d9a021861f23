/** What an error code means, and what to do about it. */
export interface Explanation {
  meaning: string;
  advice: string;
}

/** By code: ours first, then those of SMPP (command_status by its name, and states of receipts), then Meta's. */
const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  ANSWER_LOST: {
    meaning: 'The carrier did not answer, so it may have the message or not.',
    advice: 'Wait for its receipt. It is not refunded, for it may have been sent.',
  },
  CANCELED: { meaning: 'It was canceled while it waited.', advice: 'Nothing was sent, and the price was given back.' },
  CARRIER_FAILURE: {
    meaning: 'The carrier failed in a way that it has no word for.',
    advice: 'Look into the log of the server at this time.',
  },
  CODE_ENDED: {
    meaning: 'Its sign-in code was used, or its ten minutes were over, before a carrier took it.',
    advice: 'Nothing more is to be done; the price was given back. If it happens often, look at how the carrier fares.',
  },
  CODE_UNREADABLE: {
    meaning: 'Its sign-in code was sealed under another secret than the process has that sends.',
    advice: 'Give all processes the same VERIFICATION_SECRET.',
  },
  DESTINATION_REFUSED: {
    meaning: 'The spending guard of the account does not let it write to this number.',
    advice: 'An operator allows the country, or the beginning of the number, under Account.',
  },
  EXPIRED: {
    meaning: 'Its validity ended before it was delivered.',
    advice: 'The phone was off or away for too long. Send it again, or with a longer validity.',
  },
  INSUFFICIENT_BALANCE: {
    meaning: 'The account could not pay for the SMS of the fallback.',
    advice: 'Credit the account; the fallback is not made afterwards.',
  },
  INVALID_SENDER: {
    meaning: 'The carrier does not take this sender ID.',
    advice: 'Use a number of the account, or a name of 3 to 11 letters and digits that is registered.',
  },
  LIMIT_REACHED: {
    meaning: 'The account, or one of its keys, was at a limit of its spending guard.',
    advice: 'Wait for the hour, day or month to end, or have an operator raise the limit under Account.',
  },
  NOT_CONFIGURED: {
    meaning: 'The carrier or the channel is not set up completely.',
    advice: 'An operator of the installation finds what is missing under Carriers.',
  },
  NOT_SUBMITTED: {
    meaning: 'The server was stopped before the message left.',
    advice: 'It is sent by the next one that starts.',
  },
  OPTED_OUT: {
    meaning: 'The recipient wants no more messages from this sender.',
    advice: 'Do not send to them. They can take it back by writing START.',
  },
  SMSC_DOWN: {
    meaning: 'There was no connection to the SMSC.',
    advice: 'It is tried again. If it stays so, look at the binds under Carriers.',
  },
  SMSC_THROTTLES: {
    meaning: 'The SMSC asked for a pause.',
    advice: 'It is tried again. If it happens often, lower the rate of the carrier.',
  },
  THROTTLED: { meaning: 'The carrier asked for a pause.', advice: 'It is tried again by itself.' },
  TIMEOUT: {
    meaning: 'The carrier did not answer in time.',
    advice: 'It is tried again, unless it may have been taken.',
  },
  UNKNOWN_CARRIER: {
    meaning: 'There is no carrier of this name any more.',
    advice: 'An operator of the installation routes the channel to another one.',
  },
  UNREACHABLE: {
    meaning: 'The phone could not be reached.',
    advice: 'Check the number. If it is right, the phone may be off, or the number is not in use.',
  },

  ESME_RINVDSTADR: {
    meaning: 'The SMSC does not take this number.',
    advice: 'Check that it is complete, with its country code, and in use.',
  },
  ESME_RINVSRCADR: {
    meaning: 'The SMSC does not take this sender.',
    advice: 'Ask the carrier which sender IDs it lets you use, and in which countries they must be registered.',
  },
  ESME_RINVSRCTON: {
    meaning: 'The SMSC does not take this kind of sender.',
    advice: 'Set the type of sender addresses of the carrier as it asks for.',
  },
  ESME_RINVDSTTON: {
    meaning: 'The SMSC does not take this kind of recipient.',
    advice: 'Set the type of recipient addresses of the carrier as it asks for.',
  },
  ESME_RINVMSGLEN: {
    meaning: 'The text is too long for the SMSC.',
    advice: 'Shorten it; it is sent in parts otherwise.',
  },
  ESME_RINVDCS: {
    meaning: 'The SMSC does not take this alphabet.',
    advice: 'Send without characters beyond the GSM alphabet, or ask the carrier about UCS-2.',
  },
  ESME_RINVEXPIRY: {
    meaning: 'The SMSC does not take this validity.',
    advice: 'Send with a shorter one.',
  },
  ESME_RMSGQFUL: {
    meaning: 'The queue of the SMSC is full.',
    advice: 'It is tried again. If it happens often, lower the rate of the carrier.',
  },
  ESME_RTHROTTLED: {
    meaning: 'Messages came faster than the SMSC allows.',
    advice: 'It is tried again. If it happens often, lower the rate of the carrier.',
  },
  ESME_RSYSERR: { meaning: 'The SMSC failed.', advice: 'It is tried again. If it stays so, ask the carrier.' },
  ESME_RSUBMITFAIL: {
    meaning: 'The SMSC did not take the message.',
    advice: 'Ask the carrier why, with its id and time.',
  },
  ESME_RPROHIBITED: {
    meaning: 'The SMSC does not allow this.',
    advice: 'Ask the carrier which senders and countries your login may use.',
  },
  ESME_RDELIVERYFAILURE: {
    meaning: 'The SMSC could not deliver it.',
    advice: 'Check the number, and try again later.',
  },
  ESME_RUNKNOWNERR: {
    meaning: 'The SMSC failed without saying why.',
    advice: 'Ask the carrier, with the id and time.',
  },
  UNDELIV: { meaning: 'The network could not deliver it.', advice: 'Check the number; the phone may not take SMS.' },
  REJECTD: {
    meaning: 'The network refused it.',
    advice: 'The sender or the text may be blocked there. Ask the carrier with the id and time.',
  },
  DELETED: { meaning: 'The SMSC deleted it.', advice: 'Ask the carrier why, with its id and time.' },
  UNKNOWN: { meaning: 'The SMSC does not know what became of it.', advice: 'Ask the carrier, with its id and time.' },

  '0': { meaning: 'Meta does not take the access token.', advice: 'Give the carrier a new one under Carriers.' },
  '190': { meaning: 'Meta does not take the access token.', advice: 'Give the carrier a new one under Carriers.' },
  '4': { meaning: 'The app has called Meta too often.', advice: 'It is tried again within the hour.' },
  '10': { meaning: 'The access token may not do this.', advice: 'Give its system user the permission at Meta.' },
  '368': {
    meaning: 'Meta restricted the account.',
    advice: 'Read in the WhatsApp Manager what was violated, then resume the channel.',
  },
  '80007': { meaning: 'The business account has called Meta too often.', advice: 'It is tried again within the hour.' },
  '130429': { meaning: 'Messages came faster than Meta allows for this number.', advice: 'It is tried again.' },
  '130472': {
    meaning: 'The recipient is part of an experiment of Meta, and gets no marketing messages.',
    advice: 'Do not try again; reach them in another way.',
  },
  '131000': { meaning: 'Meta failed.', advice: 'It is tried again. If it stays so, look at Meta’s status page.' },
  '131005': { meaning: 'The access token may not do this.', advice: 'Give its system user the permission at Meta.' },
  '131008': { meaning: 'A parameter is missing.', advice: 'Compare the send with the template.' },
  '131009': {
    meaning: 'A parameter has a value that Meta does not take.',
    advice: 'Compare the send with the template.',
  },
  '131016': { meaning: 'A service of Meta is away.', advice: 'It is tried again.' },
  '131021': { meaning: 'Sender and recipient are the same number.', advice: 'Send to another number.' },
  '131026': {
    meaning: 'It cannot be delivered: the number has no WhatsApp, an old version of it, or has not accepted its terms.',
    advice: 'Check the number, and give the send an SMS fallback.',
  },
  '131031': {
    meaning: 'Meta locked the account.',
    advice: 'Resolve it in the WhatsApp Manager, then resume the channel.',
  },
  '131037': {
    meaning: 'The name of the number is not approved.',
    advice: 'Have it approved at Meta, then resume the channel.',
  },
  '131042': { meaning: 'There is a problem with the payment at Meta.', advice: 'Check the means of payment at Meta.' },
  '131045': { meaning: 'The number is not registered.', advice: 'Register it at Meta, then resume the channel.' },
  '131062': {
    meaning: 'The recipient shows no number, and Meta sends codes to numbers alone.',
    advice: 'Ask for the number, or send the code by SMS.',
  },
  '131047': {
    meaning: 'More than 24 hours have passed since the recipient wrote last.',
    advice: 'Send a template; free text is only for those who wrote within a day.',
  },
  '131048': {
    meaning: 'Too many of this number’s messages were blocked or reported.',
    advice: 'Send less, and only to those who asked for it; look at the quality of the number at Meta.',
  },
  '131049': {
    meaning: 'Meta did not deliver it to keep its users from too many marketing messages.',
    advice: 'Try again much later, not at once.',
  },
  '131051': {
    meaning: 'Meta does not take this type of message.',
    advice: 'Send text, a template, an image or a document.',
  },
  '131052': { meaning: 'The media could not be fetched.', advice: 'Check that its URL is public.' },
  '131053': { meaning: 'The media could not be uploaded.', advice: 'Check its type and its size.' },
  '131056': { meaning: 'Too many messages to this recipient in a short time.', advice: 'It is tried again.' },
  '131057': { meaning: 'The account is in maintenance.', advice: 'It is tried again.' },
  '132000': { meaning: 'The template has another number of parameters.', advice: 'Sync the templates and compare.' },
  '132001': {
    meaning: 'There is no such template in this language, or it is not approved.',
    advice: 'Sync the templates, and check its name and language.',
  },
  '132005': { meaning: 'The text is too long with its parameters filled in.', advice: 'Shorten the parameters.' },
  '132007': {
    meaning: 'The template violates a rule of Meta.',
    advice: 'Read why in the WhatsApp Manager and edit it.',
  },
  '132012': {
    meaning: 'A parameter has not the form that the template asks for.',
    advice: 'Compare the send with it.',
  },
  '132015': { meaning: 'The template is paused for its quality.', advice: 'Edit it, or use another one.' },
  '132016': { meaning: 'The template was disabled for its quality.', advice: 'Make another one.' },
  '133010': { meaning: 'The number is not registered.', advice: 'Register it at Meta, then resume the channel.' },
};

/** What a code means, and what to do; null for one that only its own message explains. */
export function explain(code: string): Explanation | null {
  return Object.hasOwn(EXPLANATIONS, code) ? (EXPLANATIONS[code] ?? null) : null;
}
