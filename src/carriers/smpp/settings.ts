import { type Static, Type } from '@sinclair/typebox';

/** A C-octet string of SMPP: printable ASCII, without the closing NUL. */
const cString = (maxLength: number, options: object) =>
  Type.String({ maxLength, pattern: '^[\\x20-\\x7e]*$', ...options });

const seconds = (minimum: number, maximum: number, byDefault: number, description: string) =>
  Type.Number({ minimum, maximum, default: byDefault, description });

const choice = <const Values extends readonly string[]>(
  values: Values,
  byDefault: Values[number],
  description: string,
) => Type.Unsafe<Values[number]>({ type: 'string', enum: values, default: byDefault, description });

const idFormat = (description: string) => choice(['text', 'hex', 'decimal'], 'text', description);

const octet = (description: string, options: object = {}) =>
  Type.Integer({ minimum: 0, maximum: 255, description, ...options });

/** What an operator sets of a carrier of the type `smpp`. */
export const SmppSettingsSchema = Type.Object(
  {
    host: Type.String({ minLength: 1, maxLength: 253, description: 'Host name or address of the SMSC.' }),
    port: Type.Integer({ minimum: 1, maximum: 65535, default: 2775, description: 'TCP port of the SMSC.' }),
    tls: Type.Boolean({ default: false, description: 'Whether the port speaks TLS.' }),
    tlsServerName: Type.Optional(
      Type.String({ minLength: 1, description: 'Name that the certificate bears, where it is not the host.' }),
    ),
    tlsCa: Type.Optional(
      Type.String({ minLength: 1, description: 'Certificate authority of the SMSC, PEM; by default the public ones.' }),
    ),
    tlsCertificate: Type.Optional(Type.String({ minLength: 1, description: 'Certificate of ours, PEM.' })),
    tlsKey: Type.Optional(Type.String({ minLength: 1, description: 'Private key of tlsCertificate, PEM.' })),
    tlsVerify: Type.Boolean({ default: true, description: 'Whether a certificate that does not verify is refused.' }),

    systemId: cString(15, { minLength: 1, description: 'Name of the account at the SMSC (system_id).' }),
    // SMPP 3.4 allows 8 characters, but longer passwords are in use.
    password: cString(64, { default: '', description: 'Its password.' }),
    systemType: cString(12, { default: '', description: 'system_type of the bind; mostly empty.' }),
    interfaceVersion: choice(['3.3', '3.4'], '3.4', 'Version that the bind names. 3.3 has no TLVs.'),
    bindType: choice(
      ['transceiver', 'transmitter', 'receiver', 'transmitter-and-receiver'],
      'transceiver',
      'What each bind is. The last makes two connections of each.',
    ),
    binds: Type.Integer({ minimum: 1, maximum: 50, default: 1, description: 'Binds of each process that sends.' }),
    addressTon: octet('addr_ton of the bind.', { default: 0 }),
    addressNpi: octet('addr_npi of the bind.', { default: 0 }),
    addressRange: cString(40, { default: '', description: 'address_range of the bind: for what a receiver is.' }),

    window: Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: 10,
      description: 'Submits of one bind that may wait for their response.',
    }),
    ratePerSecond: Type.Number({
      minimum: 0,
      maximum: 10_000,
      default: 0,
      description: 'Submits per second of one bind; 0: as many as the window lets pass.',
    }),
    connectTimeoutSeconds: seconds(0.05, 120, 10, 'Until the connection stands, TLS included.'),
    responseTimeoutSeconds: seconds(
      0.05,
      300,
      30,
      'Until a response is late; of a submit it still counts for twice as long.',
    ),
    enquireLinkSeconds: seconds(0.05, 3600, 30, 'Silence after which enquire_link asks whether the SMSC is there.'),
    reconnectMinSeconds: seconds(0.01, 60, 1, 'Pause before the first attempt to connect again; each doubles it.'),
    reconnectMaxSeconds: seconds(0.01, 3600, 60, 'The longest such pause.'),

    multipart: choice(['udh', 'sar', 'payload'], 'udh', 'How a message of several parts goes out.'),
    serviceType: cString(5, { default: '', description: 'service_type of each message.' }),
    sourceTon: Type.Optional(octet('source_addr_ton; left out: by what the sender looks like.')),
    sourceNpi: Type.Optional(octet('source_addr_npi; left out: by what the sender looks like.')),
    destinationTon: octet('dest_addr_ton; 1: international.', { default: 1 }),
    destinationNpi: octet('dest_addr_npi; 1: E.164.', { default: 1 }),
    validityPeriod: choice(['relative', 'absolute', 'none'], 'relative', 'How a submit tells its validity.'),
    retryStatuses: Type.String({
      pattern: '^((0x[0-9a-fA-F]{1,8}|[0-9]{1,9})(, ?(?=.)|$))*$',
      default: '',
      description: 'Further values of command_status upon which a message is tried again, e.g. 0x45,0x411.',
    }),

    intermediateReceipts: Type.Boolean({
      default: false,
      description: 'Whether receipts are asked for on the way too.',
    }),
    responseIdFormat: idFormat('What the message_id of a response is.'),
    receiptIdFormat: idFormat('What the id of a receipt is. Set both where they differ.'),
    receiptTimeZone: Type.String({
      maxLength: 64,
      default: '',
      description: 'IANA zone of the done date, e.g. Europe/Bucharest; empty: the time of arrival counts.',
    }),
    receiptsWithoutClass: Type.Boolean({
      default: false,
      description:
        'Whether a text in the form of a receipt is one although esm_class does not say so, and its id is of no message that was sent to its number.',
    }),

    inboundAlphabet: choice(['gsm7', 'latin1', 'utf8'], 'gsm7', 'Alphabet of inbound messages with data_coding 0.'),
    countryCallingCode: Type.Optional(
      Type.String({ pattern: '^[1-9][0-9]{0,2}$', description: 'Put before numbers that come in national form.' }),
    ),
  },
  { additionalProperties: false },
);

export type SmppSettings = Static<typeof SmppSettingsSchema>;

/** What settings contradict each other or cannot work; each line names the setting. */
export function problemsOf(settings: SmppSettings): string[] {
  const problems: string[] = [];
  if (settings.reconnectMaxSeconds < settings.reconnectMinSeconds) {
    problems.push('reconnectMaxSeconds must not be less than reconnectMinSeconds');
  }
  if (settings.tlsCertificate && !settings.tlsKey) problems.push('tlsKey is required beside tlsCertificate');
  if (settings.tlsKey && !settings.tlsCertificate) problems.push('tlsCertificate is required beside tlsKey');
  if (!settings.tls) {
    for (const setting of ['tlsServerName', 'tlsCa', 'tlsCertificate'] as const) {
      if (settings[setting] !== undefined) problems.push(`${setting} has no effect unless tls is true`);
    }
  }
  if (settings.interfaceVersion === '3.3' && settings.multipart !== 'udh') {
    problems.push('multipart must be udh with interfaceVersion 3.3, which has no TLVs');
  }
  if (settings.receiptTimeZone !== '' && !isTimeZone(settings.receiptTimeZone)) {
    problems.push('receiptTimeZone must be the name of an IANA time zone, e.g. Europe/Bucharest');
  }
  return problems;
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The values of `retryStatuses`. */
export function retryStatuses({ retryStatuses: list }: SmppSettings): number[] {
  return list.split(',').filter(Boolean).map(Number);
}
