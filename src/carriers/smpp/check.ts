import type { CarrierContext, CheckStep } from '../carrier-type.js';
import { BindRefusedError, sendBind } from './session/bind-request.js';
import { type Connection, NoResponseError } from './session/connection.js';
import { openConnection } from './session/open-connection.js';
import { type BindRole, ROLES } from './session/roles.js';
import type { SmppSettings } from './settings.js';
import { STATUS } from './wire/command-status.js';
import { INTERFACE_VERSION } from './wire/field-values.js';
import { BadFrameError } from './wire/frames.js';
import { COMMAND, type Pdu } from './wire/pdu.js';

interface Diagnosis {
  problem: string;
  setting?: keyof SmppSettings;
}

export async function* checkSmpp({
  settings,
}: Pick<CarrierContext<SmppSettings>, 'settings'>): AsyncIterable<CheckStep> {
  for (const role of ROLES[settings.bindType]) yield* checkRole(role, settings);
}

async function* checkRole(role: BindRole, settings: SmppSettings): AsyncIterable<CheckStep> {
  const { host, port, tls, systemId } = settings;
  const connectStep = `connect to ${host}:${port}${tls ? ' with TLS' : ''}`;
  let connection: Connection;
  try {
    connection = await connect(settings);
  } catch (error) {
    yield { what: connectStep, ...diagnoseConnecting(error as Error, settings) };
    return;
  }
  try {
    yield { what: connectStep, problem: null };
    let version: number | null;
    try {
      ({ version } = await sendBind(connection, role, settings));
    } catch (error) {
      yield {
        what: `bind as ${role} ${systemId}`,
        ...(await diagnoseBind(error as Error, role, settings, connection)),
      };
      return;
    }
    const versionNote = version === null ? 'SMSC names no version' : `SMSC speaks version ${formatVersion(version)}`;
    yield { what: `bind as ${role} ${systemId} (${versionNote})`, ...diagnoseVersion(version, settings) };
    yield { what: 'enquire_link', ...(await diagnoseEnquiry(connection, settings)) };
    await connection.request('unbind', settings.responseTimeoutSeconds * 1000).catch(() => undefined);
  } finally {
    connection.destroy(new Error('the check is finished'));
  }
}

function connect(settings: SmppSettings): Promise<Connection> {
  return openConnection(settings, { onRequest: answerEnquireLink }, new AbortController().signal);
}

/** The check does not acknowledge messages and receipts, so that the SMSC keeps them for the running carrier. */
function answerEnquireLink(pdu: Pdu, connection: Connection): void {
  if (pdu.commandId === COMMAND.enquire_link) connection.respond(pdu, STATUS.ESME_ROK);
}

const CONNECT_CAUSES: readonly { codes: RegExp; setting: keyof SmppSettings; hint: string }[] = [
  { codes: /^(ENOTFOUND|EAI_)/, setting: 'host', hint: 'the host name cannot be resolved' },
  { codes: /^ECONNREFUSED$/, setting: 'port', hint: 'nothing is listening on this port' },
  {
    codes: /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/,
    setting: 'host',
    hint: 'no answer from the host; the SMSC may only allow known IP addresses',
  },
  {
    codes: /^(EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH|ERR_TLS_HANDSHAKE_TIMEOUT)/,
    setting: 'tls',
    hint: 'the server does not speak TLS on this port',
  },
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    setting: 'tlsServerName',
    hint: 'the certificate is for a different name',
  },
  {
    codes: /SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|CERT_UNTRUSTED/,
    setting: 'tlsCa',
    hint: 'the certificate was issued by an authority that is not trusted',
  },
  {
    codes: /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/,
    setting: 'tlsVerify',
    hint: 'the certificate of the SMSC has expired or is not valid yet',
  },
  {
    codes: /^ERR_(SSL_.*ALERT|OSSL)/,
    setting: 'tlsCertificate',
    hint: 'the SMSC rejected our client certificate or requires one, or our certificate cannot be read',
  },
];

function diagnoseConnecting(error: Error, { tls }: SmppSettings): Diagnosis {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const cause = CONNECT_CAUSES.find(({ codes }) => codes.test(code));
  if (cause) return { problem: `${cause.hint} (${code})`, setting: cause.setting };
  return { problem: `${error.message}${code && ` (${code})`}`, setting: tls ? 'tls' : 'port' };
}

/** Many SMSCs answer every refused bind with ESME_RBINDFAIL. */
const BIND_CAUSES: ReadonlyMap<number, { setting: keyof SmppSettings; hint: string }> = new Map([
  [STATUS.ESME_RINVPASWD, { setting: 'password', hint: 'the password is wrong' }],
  [STATUS.ESME_RINVSYSID, { setting: 'systemId', hint: 'the SMSC does not know this system_id' }],
  [STATUS.ESME_RINVSYSTYP, { setting: 'systemType', hint: 'the SMSC expects a different system_type' }],
  [
    STATUS.ESME_RALYBND,
    { setting: 'binds', hint: 'the SMSC allows no more binds for this account; running processes may be using them' },
  ],
]);

/** These statuses do not show whether the settings are wrong (SMPP 3.4 §5.1.3). */
const BIND_PAUSES: ReadonlyMap<number, string> = new Map([
  [
    STATUS.ESME_RTHROTTLED,
    'the SMSC limits how often you may bind, so the login is not proven wrong; try again in a few minutes',
  ],
  [STATUS.ESME_RSYSERR, 'the SMSC has an internal error, so the login is not proven wrong; try again in a few minutes'],
  [STATUS.ESME_RMSGQFUL, 'the queue of the SMSC is full, so the login is not proven wrong; try again in a few minutes'],
]);

async function diagnoseBind(
  error: Error,
  role: BindRole,
  settings: SmppSettings,
  connection: Connection,
): Promise<Diagnosis> {
  if (error instanceof BindRefusedError) {
    const cause = BIND_CAUSES.get(error.status);
    if (cause) return { problem: `${error.message}: ${cause.hint}`, setting: cause.setting };
    const temporaryCause = BIND_PAUSES.get(error.status);
    if (temporaryCause) return { problem: `${error.message}: ${temporaryCause}` };
    connection.destroy(error);
    const working = await findWorkingSetting(role, settings);
    if (working)
      return {
        problem: `${error.message}; it succeeds with ${working.setting} ${working.value}`,
        setting: working.setting,
      };
    const hint = 'check the system_id, the password, and whether the SMSC allows our IP address';
    return { problem: `${error.message}; ${hint}`, setting: 'systemId' };
  }
  const closeReason = connection.isOpen ? null : await connection.closed;
  return diagnoseSilence(error, closeReason, settings);
}

async function diagnoseSilence(error: Error, closeReason: Error | null, settings: SmppSettings): Promise<Diagnosis> {
  if (!settings.tls && (await speaksTls(settings)))
    return { problem: 'the server speaks TLS on this port', setting: 'tls' };
  if (closeReason instanceof BadFrameError)
    return { problem: 'the server does not speak SMPP on this port', setting: 'port' };
  if (error instanceof NoResponseError && error.reason === 'timeout') {
    return { problem: 'no response to the bind; this may not be an SMSC', setting: 'port' };
  }
  return { problem: 'the SMSC closed the connection after the bind; it may not allow our IP address', setting: 'host' };
}

async function speaksTls(settings: SmppSettings): Promise<boolean> {
  try {
    const connection = await connect({ ...settings, tls: true, tlsVerify: false });
    connection.destroy(new Error('the check is finished'));
    return true;
  } catch {
    return false;
  }
}

async function findWorkingSetting(
  role: BindRole,
  settings: SmppSettings,
): Promise<{ setting: keyof SmppSettings; value: string } | null> {
  const otherVersion = settings.interfaceVersion === '3.4' ? '3.3' : '3.4';
  if (await canBind(role, { ...settings, interfaceVersion: otherVersion })) {
    return { setting: 'interfaceVersion', value: otherVersion };
  }
  const otherRole = role === 'transceiver' ? 'transmitter' : 'transceiver';
  if (!(await canBind(otherRole, settings))) return null;
  return { setting: 'bindType', value: role === 'transceiver' ? 'transmitter-and-receiver' : 'transceiver' };
}

async function canBind(role: BindRole, settings: SmppSettings): Promise<boolean> {
  try {
    const connection = await connect(settings);
    try {
      await sendBind(connection, role, settings);
      await connection.request('unbind', settings.responseTimeoutSeconds * 1000).catch(() => undefined);
      return true;
    } finally {
      connection.destroy(new Error('the check is finished'));
    }
  } catch {
    return false;
  }
}

function diagnoseVersion(version: number | null, { multipart }: SmppSettings): Diagnosis | { problem: null } {
  // An sc_interface_version below 3.4 means that the SMSC does not support TLVs (SMPP 3.4 §3.4).
  if (version === null || version >= INTERFACE_VERSION['3.4'] || multipart === 'udh') return { problem: null };
  return { problem: `the SMSC supports no TLVs, which multipart ${multipart} needs`, setting: 'multipart' };
}

async function diagnoseEnquiry(connection: Connection, settings: SmppSettings): Promise<{ problem: string | null }> {
  try {
    const response = await connection.request('enquire_link', settings.responseTimeoutSeconds * 1000);
    return { problem: response.status === STATUS.ESME_ROK ? null : `the SMSC answered with status ${response.status}` };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function formatVersion(version: number): string {
  return `${version >> 4}.${version & 0x0f}`;
}
