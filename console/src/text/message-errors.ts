/** What an error code means, and what to do about it. */
export interface Explanation {
  meaning: string;
  advice: string;
}

/** By code: ours first, then those of SMPP (command_status by its name, and states of receipts), then Meta's. */
const EXPLANATIONS: Readonly<Record<string, readonly [meaning: string, advice: string]>> = {
  ANSWER_LOST: [
    'The carrier did not answer, so it may have the message or not.',
    'Wait for its receipt. It is not refunded, for it may have been sent.',
  ],
  CANCELED: ['It was canceled while it waited.', 'Nothing was sent, and the price was given back.'],
  CARRIER_FAILURE: [
    'The carrier failed in a way that it has no word for.',
    'Look into the log of the server at this time.',
  ],
  CODE_ENDED: [
    'Its sign-in code was used, or its ten minutes were over, before a carrier took it.',
    'Nothing more is to be done; the price was given back. If it happens often, look at how the carrier fares.',
  ],
  CODE_UNREADABLE: [
    'Its sign-in code was sealed under another secret than the process has that sends.',
    'Give all processes the same VERIFICATION_SECRET.',
  ],
  DESTINATION_REFUSED: [
    'The spending guard of the account does not let it write to this number.',
    'An operator allows the country, or the beginning of the number, under Account.',
  ],
  EXPIRED: [
    'Its validity ended before it was delivered.',
    'The phone was off or away for too long. Send it again, or with a longer validity.',
  ],
  INSUFFICIENT_BALANCE: [
    'The account could not pay for the SMS of the fallback.',
    'Credit the account; the fallback is not made afterwards.',
  ],
  INVALID_SENDER: [
    'The carrier does not take this sender ID.',
    'Use a number of the account, or a name of 3 to 11 letters and digits that is registered.',
  ],
  LIMIT_REACHED: [
    'The account, or one of its keys, was at a limit of its spending guard.',
    'Wait for the hour, day or month to end, or have an operator raise the limit under Account.',
  ],
  NOT_CONFIGURED: [
    'The carrier or the channel is not set up completely.',
    'An operator of the installation finds what is missing under Carriers.',
  ],
  NOT_SUBMITTED: ['The server was stopped before the message left.', 'It is sent by the next one that starts.'],
  OPTED_OUT: [
    'The recipient wants no more messages from this sender.',
    'Do not send to them. They can take it back by writing START.',
  ],
  SENDING_HELD: [
    'Messages to these numbers are held for a while, for what was sent there looks like pumping.',
    'Wait until the hold ends, or release it under Account.',
  ],
  SMSC_DOWN: [
    'There was no connection to the SMSC.',
    'It is tried again. If it stays so, look at the binds under Carriers.',
  ],
  SMSC_THROTTLES: [
    'The SMSC asked for a pause.',
    'It is tried again. If it happens often, lower the rate of the carrier.',
  ],
  THROTTLED: ['The carrier asked for a pause.', 'It is tried again by itself.'],
  TIMEOUT: ['The carrier did not answer in time.', 'It is tried again, unless it may have been taken.'],
  UNKNOWN_CARRIER: [
    'There is no carrier of this name any more.',
    'An operator of the installation routes the channel to another one.',
  ],
  UNREACHABLE: [
    'The phone could not be reached.',
    'Check the number. If it is right, the phone may be off, or the number is not in use.',
  ],

  ESME_RINVDSTADR: [
    'The SMSC does not take this number.',
    'Check that it is complete, with its country code, and in use.',
  ],
  ESME_RINVSRCADR: [
    'The SMSC does not take this sender.',
    'Ask the carrier which sender IDs it lets you use, and in which countries they must be registered.',
  ],
  ESME_RINVSRCTON: [
    'The SMSC does not take this kind of sender.',
    'Set the type of sender addresses of the carrier as it asks for.',
  ],
  ESME_RINVDSTTON: [
    'The SMSC does not take this kind of recipient.',
    'Set the type of recipient addresses of the carrier as it asks for.',
  ],
  ESME_RINVMSGLEN: ['The text is too long for the SMSC.', 'Shorten it; it is sent in parts otherwise.'],
  ESME_RINVDCS: [
    'The SMSC does not take this alphabet.',
    'Send without characters beyond the GSM alphabet, or ask the carrier about UCS-2.',
  ],
  ESME_RINVEXPIRY: ['The SMSC does not take this validity.', 'Send with a shorter one.'],
  ESME_RMSGQFUL: [
    'The queue of the SMSC is full.',
    'It is tried again. If it happens often, lower the rate of the carrier.',
  ],
  ESME_RTHROTTLED: [
    'Messages came faster than the SMSC allows.',
    'It is tried again. If it happens often, lower the rate of the carrier.',
  ],
  ESME_RSYSERR: ['The SMSC failed.', 'It is tried again. If it stays so, ask the carrier.'],
  ESME_RSUBMITFAIL: ['The SMSC did not take the message.', 'Ask the carrier why, with its id and time.'],
  ESME_RPROHIBITED: [
    'The SMSC does not allow this.',
    'Ask the carrier which senders and countries your login may use.',
  ],
  ESME_RDELIVERYFAILURE: ['The SMSC could not deliver it.', 'Check the number, and try again later.'],
  ESME_RUNKNOWNERR: ['The SMSC failed without saying why.', 'Ask the carrier, with the id and time.'],
  UNDELIV: ['The network could not deliver it.', 'Check the number; the phone may not take SMS.'],
  REJECTD: [
    'The network refused it.',
    'The sender or the text may be blocked there. Ask the carrier with the id and time.',
  ],
  DELETED: ['The SMSC deleted it.', 'Ask the carrier why, with its id and time.'],
  UNKNOWN: ['The SMSC does not know what became of it.', 'Ask the carrier, with its id and time.'],

  '0': ['Meta does not take the access token.', 'Give the carrier a new one under Carriers.'],
  '190': ['Meta does not take the access token.', 'Give the carrier a new one under Carriers.'],
  '4': ['The app has called Meta too often.', 'It is tried again within the hour.'],
  '10': ['The access token may not do this.', 'Give its system user the permission at Meta.'],
  '368': ['Meta restricted the account.', 'Read in the WhatsApp Manager what was violated, then resume the channel.'],
  '80007': ['The business account has called Meta too often.', 'It is tried again within the hour.'],
  '130429': ['Messages came faster than Meta allows for this number.', 'It is tried again.'],
  '130472': [
    'The recipient is part of an experiment of Meta, and gets no marketing messages.',
    'Do not try again; reach them in another way.',
  ],
  '131000': ['Meta failed.', 'It is tried again. If it stays so, look at Meta’s status page.'],
  '131005': ['The access token may not do this.', 'Give its system user the permission at Meta.'],
  '131008': ['A parameter is missing.', 'Compare the send with the template.'],
  '131009': ['A parameter has a value that Meta does not take.', 'Compare the send with the template.'],
  '131016': ['A service of Meta is away.', 'It is tried again.'],
  '131021': ['Sender and recipient are the same number.', 'Send to another number.'],
  '131026': [
    'It cannot be delivered: the number has no WhatsApp, an old version of it, or has not accepted its terms.',
    'Check the number, and give the send an SMS fallback.',
  ],
  '131031': ['Meta locked the account.', 'Resolve it in the WhatsApp Manager, then resume the channel.'],
  '131037': ['The name of the number is not approved.', 'Have it approved at Meta, then resume the channel.'],
  '131042': ['There is a problem with the payment at Meta.', 'Check the means of payment at Meta.'],
  '131045': ['The number is not registered.', 'Register it at Meta, then resume the channel.'],
  '131062': [
    'The recipient shows no number, and Meta sends codes to numbers alone.',
    'Ask for the number, or send the code by SMS.',
  ],
  '131047': [
    'More than 24 hours have passed since the recipient wrote last.',
    'Send a template; free text is only for those who wrote within a day.',
  ],
  '131048': [
    'Too many of this number’s messages were blocked or reported.',
    'Send less, and only to those who asked for it; look at the quality of the number at Meta.',
  ],
  '131049': [
    'Meta did not deliver it to keep its users from too many marketing messages.',
    'Try again much later, not at once.',
  ],
  '131051': ['Meta does not take this type of message.', 'Send text, a template, an image or a document.'],
  '131052': ['The media could not be fetched.', 'Check that its URL is public.'],
  '131053': ['The media could not be uploaded.', 'Check its type and its size.'],
  '131056': ['Too many messages to this recipient in a short time.', 'It is tried again.'],
  '131057': ['The account is in maintenance.', 'It is tried again.'],
  '132000': ['The template has another number of parameters.', 'Sync the templates and compare.'],
  '132001': [
    'There is no such template in this language, or it is not approved.',
    'Sync the templates, and check its name and language.',
  ],
  '132005': ['The text is too long with its parameters filled in.', 'Shorten the parameters.'],
  '132007': ['The template violates a rule of Meta.', 'Read why in the WhatsApp Manager and edit it.'],
  '132012': ['A parameter has not the form that the template asks for.', 'Compare the send with it.'],
  '132015': ['The template is paused for its quality.', 'Edit it, or use another one.'],
  '132016': ['The template was disabled for its quality.', 'Make another one.'],
  '133010': ['The number is not registered.', 'Register it at Meta, then resume the channel.'],
};

/** What a code means, and what to do; null for one that only its own message explains. */
export function explain(code: string): Explanation | null {
  const known = Object.hasOwn(EXPLANATIONS, code) ? EXPLANATIONS[code] : undefined;
  if (!known) return null;
  const [meaning, advice] = known;
  return { meaning, advice };
}
