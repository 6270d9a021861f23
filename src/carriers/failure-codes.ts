import type { Explanation } from '../platform/errors/error-explanations.js';

interface FailureCodeRule extends Explanation {
  /**
   * `message`: Heliograph ended the message. `attempt`: one attempt failed, which ends the message only if no further attempt
   * is possible. `fallback`: the SMS that should have replaced the message was not sent. `file`: a file or template could not
   * be fetched.
   */
  about: 'message' | 'attempt' | 'fallback' | 'file';
}

/** Error codes of messages, in addition to the codes of carriers (`VendorCode`). Shown in docs/reference/errors.md. */
export const FAILURE_CODES = {
  OPTED_OUT: {
    about: 'message',
    happened: 'The recipient opted out before the message was submitted. The price was refunded.',
    action: 'Remove the recipient from your lists.',
  },
  QUIET_HOURS: {
    about: 'message',
    happened:
      "The account's quiet hours leave no moment within seven days in which the message may leave. The price was refunded.",
    action: "Change the account's quiet hours.",
  },
  EXPIRED: {
    about: 'message',
    happened: 'No carrier accepted the message before its validity ended.',
    action: 'Check the errors of its attempts, and send the message again if it is still useful.',
  },
  CODE_ENDED: {
    about: 'message',
    happened: 'The sign-in code was used or expired before a carrier accepted its message.',
    action: 'Request a new code if the person still wants to sign in.',
  },
  CODE_UNREADABLE: {
    about: 'message',
    happened: 'The sign-in code could not be decrypted. The price was refunded.',
    action: 'Operators: set `VERIFICATION_SECRET` to the same value in all processes.',
  },
  CANCELED: {
    about: 'message',
    happened: 'You, a campaign or an operator canceled the message before it was submitted. The price was refunded.',
    action: 'Nothing. Send it again if you still need it.',
  },
  NO_RECEIPT: {
    about: 'message',
    happened: 'The carrier accepted the message, but an hour after its validity ended there was still no receipt.',
    action: 'Ask the carrier whether it delivers receipts for this destination.',
  },
  ANSWER_LOST: {
    about: 'attempt',
    happened: "The carrier's response was lost. The carrier may have accepted the message, so it is not refunded.",
    action: 'Nothing. Heliograph repeats the attempt if that is safe.',
  },
  BAD_ANSWER: {
    about: 'attempt',
    happened: "The response is not in the carrier's format.",
    action: "Operators: check the carrier's URL and any proxy in front of it.",
  },
  CARRIER_FAILURE: {
    about: 'attempt',
    happened: 'The connection to the carrier failed unexpectedly.',
    action: 'Operators: read the log from the time of the attempt, and report the problem.',
  },
  NOT_SUBMITTED: {
    about: 'attempt',
    happened: 'A worker stopped, or had no free connection, before it submitted the message.',
    action: 'Nothing. The next worker submits the message.',
  },
  UNREACHABLE: {
    about: 'attempt',
    happened: 'The carrier cannot be reached. From the simulator: the phone cannot be reached.',
    action: 'Operators: check the network and the carrier. The attempt is repeated.',
  },
  THROTTLED: {
    about: 'attempt',
    happened: 'The carrier limits the rate of requests. Sending pauses and then continues.',
    action: "Operators: set the carrier's rate to what your contract allows.",
  },
  SMSC_THROTTLES: {
    about: 'attempt',
    happened: 'The SMSC limits the rate of messages. Sending pauses and then continues.',
    action: "Operators: set the carrier's rate to what your contract allows.",
  },
  SMSC_DOWN: {
    about: 'attempt',
    happened: 'The SMPP carrier is not bound to the SMSC.',
    action: 'Operators: find the reason with `heliograph doctor` and in the log.',
  },
  CREDIT_GONE: {
    about: 'attempt',
    happened: 'Your account at the carrier has no credit left.',
    action: 'Operators: add credit at the carrier. Sending then resumes automatically.',
  },
  CREDENTIALS_REFUSED: {
    about: 'attempt',
    happened: 'The carrier rejects the credentials.',
    action: "Operators: correct the carrier's credentials. Sending then resumes automatically.",
  },
  TOKEN_REFUSED: {
    about: 'attempt',
    happened: 'The carrier did not return an access token.',
    action: "Operators: check the carrier's credentials and token URL.",
  },
  PRIVATE_ADDRESS: {
    about: 'attempt',
    happened: "The carrier's host has a private address.",
    action: 'Operators: add the host to `CARRIER_PRIVATE_HOSTS` if it is yours.',
  },
  NOT_WRITTEN: {
    about: 'attempt',
    happened: 'The request to the carrier could not be built.',
    action: "Operators: correct the carrier's settings that the message names.",
  },
  NOT_CONFIGURED: {
    about: 'attempt',
    happened: 'The channel lacks a setting that its carrier needs.',
    action: 'Operators: add the setting that the message names to the channel.',
  },
  UNKNOWN_CARRIER: {
    about: 'attempt',
    happened: "The message's carrier does not exist in this process.",
    action: 'Operators: add the carrier again, or correct the route.',
  },
  WRONG_KIND: {
    about: 'attempt',
    happened: 'The carrier cannot send messages of this kind.',
    action: 'Operators: correct the route or the channel.',
  },
  UNSUPPORTED: {
    about: 'attempt',
    happened: 'The SMPP carrier received a message that is not an SMS.',
    action: "Operators: correct the channel's carrier.",
  },
  INVALID_SENDER: {
    about: 'attempt',
    happened: 'This sender ID cannot be sent over SMPP.',
    action: 'Use at most 20 printable ASCII characters.',
  },
  REFUSED: {
    about: 'attempt',
    happened: 'The simulator refuses this number.',
    action: 'Nothing: it is one of its [magic numbers](../carriers/simulator.md).',
  },
  WINDOW_UNREADABLE: {
    about: 'attempt',
    happened: 'The simulator could not check the reply window.',
    action: 'Nothing. The attempt is repeated.',
  },
  FAILED: {
    about: 'attempt',
    happened: 'Meta reports a failure without a code.',
    action: 'Look at the message in the WhatsApp Manager.',
  },
  MEDIA_NOT_FOUND: {
    about: 'attempt',
    happened: 'No file has this ID, or the file was deleted.',
    action: 'Upload the file again and use its new ID: [Media](../send/media.md).',
  },
  MEDIA_UNREADABLE: {
    about: 'attempt',
    happened: 'The stored file cannot be read at the moment.',
    action: 'Operators: check the disk or bucket. The attempt is repeated.',
  },
  MEDIA_UPLOAD: {
    about: 'attempt',
    happened: 'The file could not be uploaded to Meta.',
    action: 'Nothing. The attempt is repeated.',
  },
  MEDIA_UPLOADING: {
    about: 'attempt',
    happened: 'Another process is uploading the same file.',
    action: 'Nothing. The attempt is repeated.',
  },
  DELIVERED: {
    about: 'fallback',
    happened: 'The WhatsApp message was delivered after all.',
    action: 'Nothing.',
  },
  NO_NUMBER: {
    about: 'fallback',
    happened: "The recipient's number is not known.",
    action: 'Ask the person for their number if you need it.',
  },
  BAD_ADDRESS: {
    about: 'file',
    happened: 'The carrier reported a file without a valid URL.',
    action: "Operators: check the carrier's settings for inbound files.",
  },
  NO_MEDIA: {
    about: 'file',
    happened: "The channel's carrier does not provide files.",
    action: 'Nothing.',
  },
  NO_TEMPLATE: {
    about: 'file',
    happened: 'Meta does not have this template.',
    action: "Sync the channel's templates.",
  },
} as const satisfies Readonly<Record<string, FailureCodeRule>>;

export type FailureCode = keyof typeof FAILURE_CODES;

declare const brand: unique symbol;

/** A code of the carrier or vendor, such as `ESME_RINVDSTADR` or `131026`. */
export type VendorCode = `${number}` | (string & { readonly [brand]: true });

export function vendorCode(code: string): VendorCode {
  return code as VendorCode;
}
