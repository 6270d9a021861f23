import { type Static, Type } from '@sinclair/typebox';

/** Pattern for printable ASCII. `maxLength` excludes the terminating NUL. */
const cString = (maxLength: number, options: object) =>
  Type.String({ maxLength, pattern: '^[\\x20-\\x7e]*$', ...options });

const seconds = (minimum: number, maximum: number, defaultValue: number, description: string) =>
  Type.Number({ minimum, maximum, default: defaultValue, description });

const choice = <const Values extends readonly string[]>(
  values: Values,
  defaultValue: Values[number],
  description: string,
) => Type.Unsafe<Values[number]>({ type: 'string', enum: values, default: defaultValue, description });

const idFormat = (description: string) => choice(['text', 'hex', 'decimal'], 'text', description);

const octet = (description: string, options: object = {}) =>
  Type.Integer({ minimum: 0, maximum: 255, description, ...options });

export const SmppSettingsSchema = Type.Object(
  {
    host: Type.String({ minLength: 1, maxLength: 253, description: 'Host name or IP address of the SMSC.' }),
    port: Type.Integer({ minimum: 1, maximum: 65535, default: 2775, description: 'TCP port of the SMSC.' }),
    tls: Type.Boolean({ default: false, description: 'Whether to connect with TLS.' }),
    tlsServerName: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Expected name in the server certificate, if it differs from the host.',
      }),
    ),
    tlsCa: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'CA certificate that issued the SMSC certificate, PEM. Default: the public authorities.',
      }),
    ),
    tlsCertificate: Type.Optional(Type.String({ minLength: 1, description: 'Client certificate, PEM.' })),
    tlsKey: Type.Optional(Type.String({ minLength: 1, description: 'Private key of the client certificate, PEM.' })),
    tlsVerify: Type.Boolean({
      default: true,
      description: 'Whether to reject server certificates that fail verification.',
    }),

    systemId: cString(15, { minLength: 1, description: 'Account name at the SMSC (system_id).' }),
    // SMPP 3.4 limits passwords to 8 characters, but some SMSCs use longer ones.
    password: cString(64, { default: '', description: 'Password for the bind.' }),
    systemType: cString(12, { default: '', description: 'system_type of the bind. Usually empty.' }),
    interfaceVersion: choice(['3.3', '3.4'], '3.4', 'SMPP version announced in the bind. 3.3 does not support TLVs.'),
    bindType: choice(
      ['transceiver', 'transmitter', 'receiver', 'transmitter-and-receiver'],
      'transceiver',
      'Type of each bind. `transmitter-and-receiver` opens two connections per bind.',
    ),
    binds: Type.Integer({
      minimum: 1,
      maximum: 50,
      default: 1,
      description: 'Number of binds that each sending process opens.',
    }),
    addressTon: octet('addr_ton of the bind.', { default: 0 }),
    addressNpi: octet('addr_npi of the bind.', { default: 0 }),
    addressRange: cString(40, {
      default: '',
      description: 'address_range of the bind: the destination addresses a receiver serves.',
    }),

    window: Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: 10,
      description: 'Maximum number of unanswered submits per bind.',
    }),
    ratePerSecond: Type.Number({
      minimum: 0,
      maximum: 10_000,
      default: 0,
      description: 'Maximum submits per second and bind. 0 means no limit except the window.',
    }),
    connectTimeoutSeconds: seconds(0.05, 120, 10, 'Timeout for connecting, including the TLS handshake.'),
    responseTimeoutSeconds: seconds(
      0.05,
      300,
      30,
      'Timeout for a response. A late response to a submit is still accepted for twice this time.',
    ),
    enquireLinkSeconds: seconds(0.05, 3600, 30, 'Idle time after which enquire_link tests the connection.'),
    reconnectMinSeconds: seconds(
      0.01,
      60,
      1,
      'Delay before the first reconnect. It doubles with every failed attempt.',
    ),
    reconnectMaxSeconds: seconds(0.01, 3600, 60, 'Maximum delay between reconnects.'),

    multipart: choice(
      ['udh', 'sar', 'payload'],
      'udh',
      'How multipart messages are sent: `udh` adds a user data header, `sar` uses SAR TLVs, `payload` sends the whole text in message_payload.',
    ),
    serviceType: cString(5, { default: '', description: 'service_type of each submit.' }),
    sourceTon: Type.Optional(octet('source_addr_ton. By default it depends on the sender.')),
    sourceNpi: Type.Optional(octet('source_addr_npi. By default it depends on the sender.')),
    destinationTon: octet('dest_addr_ton. 1 means international.', { default: 1 }),
    destinationNpi: octet('dest_addr_npi. 1 means E.164.', { default: 1 }),
    validityPeriod: choice(
      ['relative', 'absolute', 'none'],
      'relative',
      'Format of validity_period in submits. `none` omits it.',
    ),
    retryStatuses: Type.String({
      pattern: '^((0x[0-9a-fA-F]{1,8}|[0-9]{1,9})(, ?(?=.)|$))*$',
      default: '',
      description: 'Additional command_status values after which a message is retried, e.g. 0x45,0x411.',
    }),

    intermediateReceipts: Type.Boolean({
      default: false,
      description: 'Whether to request intermediate receipts too.',
    }),
    responseIdFormat: idFormat('Format of message_id in submit responses.'),
    receiptIdFormat: idFormat('Format of the message ID in receipts. Set both formats if they differ.'),
    receiptTimeZone: Type.String({
      maxLength: 64,
      default: '',
      description:
        'IANA time zone of done dates in receipts, e.g. Europe/Bucharest. If empty, the time of arrival is used.',
    }),
    receiptsWithoutClass: Type.Boolean({
      default: false,
      description:
        'Whether to treat a text in receipt format as a receipt even if esm_class does not mark it and no sent message matches its ID and number.',
    }),

    inboundAlphabet: choice(['gsm7', 'latin1', 'utf8'], 'gsm7', 'Alphabet of inbound messages with data_coding 0.'),
    countryCallingCode: Type.Optional(
      Type.String({
        pattern: '^[1-9][0-9]{0,2}$',
        description: 'Country calling code added to inbound numbers in national format.',
      }),
    ),
  },
  { additionalProperties: false },
);

export type SmppSettings = Static<typeof SmppSettingsSchema>;

export function findProblems(settings: SmppSettings): string[] {
  const problems: string[] = [];
  if (settings.reconnectMaxSeconds < settings.reconnectMinSeconds) {
    problems.push('reconnectMaxSeconds must not be less than reconnectMinSeconds');
  }
  if (settings.tlsCertificate && !settings.tlsKey) problems.push('tlsKey is required with tlsCertificate');
  if (settings.tlsKey && !settings.tlsCertificate) problems.push('tlsCertificate is required with tlsKey');
  if (!settings.tls) {
    for (const setting of ['tlsServerName', 'tlsCa', 'tlsCertificate'] as const) {
      if (settings[setting] !== undefined) problems.push(`${setting} has no effect unless tls is true`);
    }
  }
  if (settings.interfaceVersion === '3.3' && settings.multipart !== 'udh') {
    problems.push('multipart must be udh if interfaceVersion is 3.3, which does not support TLVs');
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

export function parseRetryStatuses({ retryStatuses: list }: SmppSettings): number[] {
  return list.split(',').filter(Boolean).map(Number);
}
