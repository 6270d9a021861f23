/** The Graph API's subcode of 100 for an object that does not exist, or that the token may not see. */
export const NO_SUCH_OBJECT = 33;

/** Meta's codes, the status that each is answered with, and what it means (Meta, "Cloud API error codes"). */
export const META_CODES = {
  10: { status: 403, title: 'The token does not have the permission' },
  100: { status: 400, title: 'A parameter is invalid' },
  190: { status: 401, title: 'The access token is missing or invalid' },
  368: { status: 403, title: 'The account is blocked for a breach of policy' },
  130429: { status: 429, title: 'Too many requests' },
  130472: { status: 400, title: 'The message was not sent as part of an experiment of Meta' },
  131000: { status: 500, title: 'Something went wrong' },
  131005: { status: 403, title: 'Access is denied' },
  131008: { status: 400, title: 'A required parameter is missing' },
  131009: { status: 400, title: 'A parameter has a wrong value' },
  131016: { status: 503, title: 'The service is not available at the moment' },
  131021: { status: 400, title: 'The recipient is the sender' },
  131026: { status: 400, title: 'The message cannot be delivered' },
  131031: { status: 403, title: 'The account is locked' },
  131037: { status: 400, title: 'The display name of the number is not approved' },
  131042: { status: 400, title: 'The balance of the account is too low, or its payment has a problem' },
  131045: { status: 500, title: 'The number is not registered' },
  131047: { status: 400, title: 'The contact wrote more than 24 hours ago: send a template' },
  131048: { status: 400, title: 'Too many messages of the number were blocked' },
  131049: { status: 400, title: 'Meta does not deliver more marketing to this person now' },
  131050: { status: 400, title: 'The recipient wants no more messages' },
  131051: { status: 400, title: 'The type of the message is not supported' },
  131052: { status: 400, title: 'The media of the contact cannot be fetched' },
  131053: { status: 400, title: 'The media cannot be uploaded' },
  131056: { status: 400, title: 'Too many messages to this recipient' },
  131057: { status: 500, title: 'The account is under maintenance' },
  131062: { status: 400, title: 'Codes go to phone numbers alone' },
  132000: { status: 400, title: 'The number of parameters is not that of the template' },
  132001: { status: 404, title: 'The template does not exist in this language, or is not approved' },
  132005: { status: 400, title: 'The text of the template is too long with its parameters' },
  132007: { status: 400, title: 'The template breaks a policy' },
  132012: { status: 400, title: 'A parameter does not fit the template' },
  132015: { status: 400, title: 'The template is paused' },
  132016: { status: 400, title: 'The template is disabled' },
  132018: { status: 400, title: 'A parameter of the template has a wrong value' },
  133010: { status: 400, title: 'The number is not registered' },
} as const;

export type MetaCode = keyof typeof META_CODES;
