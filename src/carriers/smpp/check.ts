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

/** Why something failed, and the setting that is probably wrong. */
interface Diagnosis {
  problem: string;
  setting?: keyof SmppSettings;
}

/** Tries the settings out as the carrier uses them: connect, bind, ask for a sign of life, unbind. */
export async function* checkSmpp({
  settings,
}: Pick<CarrierContext<SmppSettings>, 'settings'>): AsyncIterable<CheckStep> {
  for (const role of ROLES[settings.bindType]) yield* checkRole(role, settings);
}

async function* checkRole(role: BindRole, settings: SmppSettings): AsyncIterable<CheckStep> {
  const { host, port, tls, systemId } = settings;
  const connecting = `connect to ${host}:${port}${tls ? ' with TLS' : ''}`;
  let connection: Connection;
  try {
    connection = await connect(settings);
  } catch (error) {
    yield { what: connecting, ...diagnoseConnecting(error as Error, settings) };
    return;
  }
  try {
    yield { what: connecting, problem: null };
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
    const spoken = version === null ? 'it names no version' : `it speaks version ${versionText(version)}`;
    yield { what: `bind as ${role} ${systemId} (${spoken})`, ...diagnoseVersion(version, settings) };
    yield { what: 'enquire_link', ...(await diagnoseEnquiry(connection, settings)) };
    await connection.request('unbind', settings.responseTimeoutSeconds * 1000).catch(() => undefined);
  } finally {
    connection.destroy(new Error('the check is over'));
  }
}

function connect(settings: SmppSettings): Promise<Connection> {
  return openConnection(settings, { onRequest: answerWhileChecking }, new AbortController().signal);
}

/** What is delivered during the check is left unanswered: the SMSC keeps it for the carrier. */
function answerWhileChecking(pdu: Pdu, connection: Connection): void {
  if (pdu.commandId === COMMAND.enquire_link) connection.respond(pdu, STATUS.ESME_ROK);
}

/** Codes of Node.js and OpenSSL by the setting that they speak of. */
const CONNECT_CAUSES: readonly { codes: RegExp; setting: keyof SmppSettings; hint: string }[] = [
  { codes: /^(ENOTFOUND|EAI_)/, setting: 'host', hint: 'the name of the host cannot be resolved' },
  { codes: /^ECONNREFUSED$/, setting: 'port', hint: 'nothing listens there' },
  {
    codes: /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/,
    setting: 'host',
    hint: 'nobody answers there; the SMSC may let in only addresses that it knows',
  },
  {
    codes: /^(EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH|ERR_TLS_HANDSHAKE_TIMEOUT)/,
    setting: 'tls',
    hint: 'no TLS is spoken there',
  },
  { codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/, setting: 'tlsServerName', hint: 'the certificate bears another name' },
  {
    codes: /SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|CERT_UNTRUSTED/,
    setting: 'tlsCa',
    hint: 'the certificate is of an authority that is not trusted here',
  },
  {
    codes: /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/,
    setting: 'tlsVerify',
    hint: 'the certificate of the SMSC is not valid now',
  },
  {
    codes: /^ERR_(SSL_.*ALERT|OSSL)/,
    setting: 'tlsCertificate',
    hint: 'the SMSC refuses our certificate or the lack of one, or ours cannot be read',
  },
];

function diagnoseConnecting(error: Error, { tls }: SmppSettings): Diagnosis {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const cause = CONNECT_CAUSES.find(({ codes }) => codes.test(code));
  if (cause) return { problem: `${cause.hint} (${code})`, setting: cause.setting };
  return { problem: `${error.message}${code && ` (${code})`}`, setting: tls ? 'tls' : 'port' };
}

/** The statuses by which an SMSC tells which field of a bind is wrong. Not every SMSC is that frank. */
const BIND_CAUSES: ReadonlyMap<number, { setting: keyof SmppSettings; hint: string }> = new Map([
  [STATUS.ESME_RINVPASWD, { setting: 'password', hint: 'the password is wrong' }],
  [STATUS.ESME_RINVSYSID, { setting: 'systemId', hint: 'it does not know this system_id' }],
  [STATUS.ESME_RINVSYSTYP, { setting: 'systemType', hint: 'it expects another system_type' }],
  [
    STATUS.ESME_RALYBND,
    { setting: 'binds', hint: 'it has as many binds of this account as it allows, perhaps those of running processes' },
  ],
]);

/** What an SMSC says when it takes no bind now, be the settings right or wrong (SMPP 3.4 §5.1.3). */
const BIND_PAUSES: ReadonlyMap<number, string> = new Map([
  [STATUS.ESME_RTHROTTLED, 'it limits how often one may bind; the login is not refused: try again in some minutes'],
  [STATUS.ESME_RSYSERR, 'it has a trouble of its own; the login is not refused: try again in some minutes'],
  [STATUS.ESME_RMSGQFUL, 'it takes nothing at the moment; the login is not refused: try again in some minutes'],
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
    const pause = BIND_PAUSES.get(error.status);
    if (pause) return { problem: `${error.message}: ${pause}` };
    connection.destroy(error);
    const other = await whatWorks(role, settings);
    if (other)
      return { problem: `${error.message}; with ${other.setting} ${other.value} it takes it`, setting: other.setting };
    const hint = 'the system_id, the password or the address from which we come may be wrong';
    return { problem: `${error.message}; ${hint}`, setting: 'systemId' };
  }
  const end = connection.isOpen ? null : await connection.closed;
  return diagnoseSilence(error, end, settings);
}

/** The SMSC said nothing to the bind, or nothing that is SMPP. */
async function diagnoseSilence(error: Error, end: Error | null, settings: SmppSettings): Promise<Diagnosis> {
  if (!settings.tls && (await speaksTls(settings))) return { problem: 'TLS is spoken there', setting: 'tls' };
  if (end instanceof BadFrameError) return { problem: 'what answers there does not speak SMPP', setting: 'port' };
  if (error instanceof NoResponseError && error.reason === 'timeout') {
    return { problem: 'it does not answer the bind: it may be no SMSC', setting: 'port' };
  }
  return { problem: 'it closed the connection upon the bind: it may not know our address', setting: 'host' };
}

async function speaksTls(settings: SmppSettings): Promise<boolean> {
  try {
    const connection = await connect({ ...settings, tls: true, tlsVerify: false });
    connection.destroy(new Error('the check is over'));
    return true;
  } catch {
    return false;
  }
}

/** Of what is often set wrong, the value with which the bind is taken; found by trying. */
async function whatWorks(
  role: BindRole,
  settings: SmppSettings,
): Promise<{ setting: keyof SmppSettings; value: string } | null> {
  const otherVersion = settings.interfaceVersion === '3.4' ? '3.3' : '3.4';
  if (await binds(role, { ...settings, interfaceVersion: otherVersion })) {
    return { setting: 'interfaceVersion', value: otherVersion };
  }
  const otherRole = role === 'transceiver' ? 'transmitter' : 'transceiver';
  if (!(await binds(otherRole, settings))) return null;
  return { setting: 'bindType', value: role === 'transceiver' ? 'transmitter-and-receiver' : 'transceiver' };
}

async function binds(role: BindRole, settings: SmppSettings): Promise<boolean> {
  try {
    const connection = await connect(settings);
    try {
      await sendBind(connection, role, settings);
      await connection.request('unbind', settings.responseTimeoutSeconds * 1000).catch(() => undefined);
      return true;
    } finally {
      connection.destroy(new Error('the check is over'));
    }
  } catch {
    return false;
  }
}

function diagnoseVersion(version: number | null, { multipart }: SmppSettings): Diagnosis | { problem: null } {
  // sc_interface_version below 3.4 means that it takes no TLVs (SMPP 3.4 §3.4).
  if (version === null || version >= INTERFACE_VERSION['3.4'] || multipart === 'udh') return { problem: null };
  return { problem: `it takes no TLVs, which ${multipart} needs`, setting: 'multipart' };
}

async function diagnoseEnquiry(connection: Connection, settings: SmppSettings): Promise<{ problem: string | null }> {
  try {
    const response = await connection.request('enquire_link', settings.responseTimeoutSeconds * 1000);
    return { problem: response.status === STATUS.ESME_ROK ? null : `it answered with status ${response.status}` };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function versionText(version: number): string {
  return `${version >> 4}.${version & 0x0f}`;
}
