const ACCOUNT = { AccountSid: '<account.sid>' };
const SERVICE = { ServiceSid: '<service.sid>' };
const CALLER = '+14155550167';

/** @type {readonly import('../player.mjs').Step[]} */
export const twilioSteps = [
  { operation: 'twilioFetchAccount', title: 'The account', path: { AccountSid: '<account.sid>.json' } },
  { operation: 'twilioFetchBalance', title: 'The balance', path: ACCOUNT },
  {
    operation: 'twilioCreateMessage',
    title: 'An SMS',
    path: ACCOUNT,
    body: { To: '+14155550178', From: 'Acme', Body: 'Your parcel arrives today.' },
    as: 'twilioSms',
  },
  {
    operation: 'twilioCreateMessage',
    title: 'The recipient is missing',
    path: ACCOUNT,
    body: { From: 'Acme', Body: 'Your parcel arrives today.' },
    status: 400,
  },
  {
    operation: 'twilioFetchMessage',
    title: 'A delivered SMS',
    path: { ...ACCOUNT, Sid: '<twilioSms.sid>.json' },
    until: { status: 'delivered' },
  },
  {
    operation: 'twilioFetchMessage',
    title: 'An unknown SID',
    path: { ...ACCOUNT, Sid: 'SM01a20000000070008000000000000000.json' },
    status: 404,
  },
  {
    operation: 'twilioListMessages',
    title: 'Messages to a number',
    path: ACCOUNT,
    query: { To: '+14155550178', PageSize: 1 },
  },
  {
    operation: 'twilioCreateFeedback',
    title: 'A confirmed outcome',
    path: { ...ACCOUNT, Sid: '<twilioSms.sid>' },
    body: { Outcome: 'confirmed' },
  },
  {
    operation: 'twilioCreateMessage',
    path: ACCOUNT,
    body: { To: '+14155550178', From: 'Acme', Body: 'Good morning', ScheduleType: 'fixed', SendAt: '<in 2 hours>' },
    as: 'twilioScheduled',
  },
  {
    operation: 'twilioUpdateMessage',
    title: 'Cancel a scheduled SMS',
    path: { ...ACCOUNT, Sid: '<twilioScheduled.sid>.json' },
    body: { Status: 'canceled' },
  },
  {
    operation: 'twilioDeleteMessage',
    title: 'A canceled SMS',
    path: { ...ACCOUNT, Sid: '<twilioScheduled.sid>.json' },
  },
  {
    operation: 'playInbound',
    body: {
      from: CALLER.slice(1),
      type: 'image',
      text: 'The broken lamp',
      payload: { id: 'picture-1', mime_type: 'image/png' },
    },
  },
  {
    operation: 'twilioListMessages',
    path: ACCOUNT,
    query: { From: `whatsapp:${CALLER}` },
    as: 'twilioInbound',
  },
  {
    operation: 'twilioListMedia',
    title: 'The file of an inbound message',
    path: { ...ACCOUNT, Sid: '<twilioInbound.messages.0.sid>' },
    as: 'twilioMedia',
  },
  {
    operation: 'twilioFetchMedia',
    title: 'The description of a file',
    path: { ...ACCOUNT, Sid: '<twilioInbound.messages.0.sid>', MediaSid: '<twilioMedia.media_list.0.sid>.json' },
  },
  {
    operation: 'twilioDeleteMedia',
    title: 'A file',
    path: { ...ACCOUNT, Sid: '<twilioInbound.messages.0.sid>', MediaSid: '<twilioMedia.media_list.0.sid>.json' },
  },

  {
    operation: 'twilioCreateVerification',
    title: 'A code by SMS',
    path: SERVICE,
    body: { To: '+14155550189', Channel: 'sms' },
    as: 'verification',
  },
  {
    operation: 'twilioCreateVerification',
    title: 'An unknown channel',
    path: SERVICE,
    body: { To: '+14155550189', Channel: 'email' },
    status: 400,
  },
  {
    operation: 'twilioFetchVerification',
    title: 'A pending verification',
    path: { ...SERVICE, Sid: '<verification.sid>' },
  },
  { command: ['simulator', 'codes', '--to', '14155550189'], as: 'twilioCodes', mask: { '0.code': '123456' } },
  {
    operation: 'twilioCheckVerification',
    title: 'The right code',
    path: SERVICE,
    body: { To: '+14155550189', Code: '<twilioCodes.0.code>' },
  },
  {
    operation: 'twilioCheckVerification',
    title: 'No valid code',
    path: SERVICE,
    body: { To: '+14155550189', Code: '<twilioCodes.0.code>' },
    status: 404,
  },
  {
    operation: 'twilioCreateVerification',
    path: SERVICE,
    body: { To: '+14155550190', Channel: 'sms' },
    as: 'otherVerification',
  },
  {
    operation: 'twilioUpdateVerification',
    title: 'Cancel a verification',
    path: { ...SERVICE, Sid: '<otherVerification.sid>' },
    body: { Status: 'canceled' },
  },
];
