/** Codes from Twilio's documentation, "Error and Warning Dictionary". Many codes that start with 2 end with the HTTP status. */
export const TWILIO_CODES = {
  20003: { status: 401, title: 'Authenticate' },
  20005: { status: 403, title: 'The account is not active' },
  20009: { status: 409, title: 'The message cannot be redacted or deleted before it is complete' },
  20403: { status: 403, title: 'The key does not allow this' },
  20404: { status: 404, title: 'The requested resource was not found' },
  20409: { status: 409, title: 'The resource does not allow this now' },
  20422: { status: 400, title: 'A parameter is invalid' },
  20429: { status: 429, title: 'Too many requests' },
  20500: { status: 500, title: 'Internal server error' },
  20503: { status: 503, title: 'The service is not available at the moment' },
  21211: { status: 400, title: "Invalid 'To' phone number" },
  21408: { status: 400, title: 'The account may not send to this country' },
  21602: { status: 400, title: 'The text of the message is missing' },
  21603: { status: 400, title: "A 'From' number is required" },
  21604: { status: 400, title: "A 'To' number is required" },
  21606: { status: 400, title: "The account may not send from this 'From'" },
  21609: { status: 400, title: "Invalid 'StatusCallback'" },
  21610: { status: 400, title: 'The recipient wants no more messages' },
  21612: { status: 400, title: "The 'To' cannot be reached from this 'From'" },
  21617: { status: 400, title: 'The text is too long' },
  21620: { status: 400, title: 'Invalid media URL' },
  21623: { status: 400, title: 'Too many files in one message' },
  21654: { status: 400, title: 'ContentSid is required' },
  21655: { status: 400, title: 'The ContentSid is invalid' },
  21656: { status: 400, title: 'The ContentVariables are invalid' },
  21701: { status: 400, title: 'The messaging service does not exist' },
  21910: { status: 400, title: "'From' and 'To' must be of the same channel" },
  30002: { status: 402, title: 'The balance of the account is too low' },
  30400: { status: 400, title: 'The parameters of the update are not valid' },
  30409: { status: 409, title: 'The message cannot be canceled' },
  30450: { status: 400, title: 'The message is held on suspicion of SMS pumping' },
  35111: { status: 400, title: 'SendAt is missing' },
  35114: { status: 400, title: 'SendAt is a time that cannot be scheduled' },
  35126: { status: 400, title: 'The ScheduleType must be fixed' },
  60200: { status: 400, title: 'A parameter of a verification is invalid' },
  60202: { status: 429, title: 'Too many checks for this recipient' },
  60203: { status: 429, title: 'Too many messages to this recipient' },
  60204: { status: 400, title: 'Not supported for verifications' },
  60223: { status: 400, title: 'The service does not use this channel' },
  60410: { status: 403, title: 'The verification is held on suspicion of SMS pumping' },
  63007: { status: 400, title: "There is no WhatsApp channel with the 'From' address" },
  63016: { status: 400, title: 'The contact wrote more than 24 hours ago: send a template' },
  90007: { status: 400, title: 'The ValidityPeriod must be from 1 to 36000 seconds' },
} as const;

export type TwilioCode = keyof typeof TWILIO_CODES;

/** Returns the URL of Twilio's page about the code, which is only shown to clients and never requested by the server. */
export function moreInfo(code: TwilioCode): string {
  return `https://www.twilio.com/docs/errors/${code}`;
}
