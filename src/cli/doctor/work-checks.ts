import type pg from 'pg';
import { countUnmatchedByKind } from '../../carriers/callbacks/unmatched/kinds-store.js';
import { readCallHealth } from '../../carriers/http/call-store.js';
import { findBuiltInType } from '../../carriers/types.js';
import { type CarrierStatus, findCarrierStatus, findLastError } from '../../features/carriers/carrier-status.js';
import { type EveryWebhook, listEveryWebhook } from '../../features/webhooks/every-webhook-store.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { formatCount, formatDuration, listSome } from './amounts.js';
import { classifySeverity, error, type Finding, ok, warning } from './finding.js';
import {
  readCallbackBacklog,
  readPausedChannels,
  readPeople,
  readWaiting,
  readWebhookHealth,
  type Waiting,
} from './work-store.js';

const MAX_NAMED = 5;
const MAX_FAILING = 1_000;
const DUE_SECONDS = { warning: 300, error: 3_600 };
/** Callbacks may wait two minutes for a message that is not stored yet, so the check warns only after a longer wait. */
const CALLBACK_SECONDS = { warning: 180, error: 3_600 };
const CALL_WINDOW_SECONDS = 3_600;
const MIN_CALLS = 10;
const LAG_SECONDS = { warning: 60, error: 3_600 };

const STATES: Record<Waiting['state'], string> = {
  due: 'due',
  sending: 'being sent',
  retry: 'waiting for a retry',
  scheduled: 'scheduled for later',
};

export async function checkWaiting(pool: pg.Pool): Promise<Finding[]> {
  const waiting = await readWaiting(pool);
  if (waiting.length === 0) return [ok('waiting.messages', 'No messages are waiting to be sent.')];
  return waiting.map(({ lane, state, messages, oldestSeconds }) => {
    const check = `waiting.${lane}`;
    const text = `${formatCount(messages, 'message')} ${STATES[state]}, the oldest for ${formatDuration(oldestSeconds)}.`;
    const severity = state === 'due' ? classifySeverity(oldestSeconds, DUE_SECONDS) : 'ok';
    if (severity === 'ok') return ok(check, text);
    const advice =
      'Make sure that a process with ROLE=all or ROLE=worker runs and the queue responds, and check "heliograph carrier status".';
    return { check, severity, text, advice };
  });
}

export async function checkCallbacks(pool: pg.Pool): Promise<Finding[]> {
  const { waiting, oldestSeconds, setAside } = await readCallbackBacklog(pool);
  const findings: Finding[] = [];
  const severity = classifySeverity(oldestSeconds, CALLBACK_SECONDS);
  if (severity !== 'ok') {
    const text = `${formatCount(waiting, 'carrier callback')} waiting, the oldest for ${formatDuration(oldestSeconds)}.`;
    findings.push({
      check: 'callbacks.waiting',
      severity,
      text,
      advice: 'Make sure that a process with ROLE=all or ROLE=worker runs.',
    });
  }
  if (setAside > 0) {
    const text = `${formatCount(setAside, 'carrier callback')} could not be processed and ${setAside === 1 ? 'was' : 'were'} set aside.`;
    const advice =
      'The log shows why. docs/run/operations.md explains how to process them again ("Callbacks of carriers").';
    findings.push(warning('callbacks.set-aside', text, advice));
  }
  return findings.length > 0 ? findings : [ok('callbacks.waiting', 'No carrier callbacks are waiting.')];
}

/** Counts stored carrier reports, which an upgrade may make usable. */
export async function checkKept(pool: pg.Pool, hasSecret: boolean): Promise<Finding[]> {
  const kinds = await countUnmatchedByKind(pool);
  if (kinds.length === 0) return [ok('callbacks.kept', 'No carrier reports are stored.')];
  const total = kinds.reduce((sum, { reports }) => sum + reports, 0);
  const names = listSome(kinds.map(({ kind, reports }) => `${kind} (${reports})`));
  const text = `${formatCount(total, 'carrier report')} ${total === 1 ? 'is' : 'are'} stored, because this version cannot use ${total === 1 ? 'it' : 'them'}: ${names}.`;
  if (hasSecret)
    return [ok('callbacks.kept', `${text} "heliograph callbacks list" shows ${total === 1 ? 'it' : 'them'}.`)];
  const advice =
    'Set KEPT_REPORTS_SECRET, so that future reports are stored completely: without it, their texts are left out.';
  return [warning('callbacks.kept', text, advice)];
}

/** Warns if sign-in services have no secret, because their requests are rejected without it. */
export async function checkCodes(prisma: PrismaClient, hasSecret: boolean): Promise<Finding[]> {
  const services = await prisma.signInService.count();
  if (services === 0) return [];
  const text = `${formatCount(services, 'sign-in service')} ${services === 1 ? 'is' : 'are'} set up`;
  if (hasSecret) return [ok('codes.secret', `${text}.`)];
  const advice =
    'Set VERIFICATION_SECRET to the same value in all processes. If the store was moved from an embedded one, the value is in verifications-key in its DATA_DIR.';
  return [
    warning('codes.secret', `${text}, but sign-in codes are off, because VERIFICATION_SECRET is not set.`, advice),
  ];
}

export async function checkCarriers(
  prisma: PrismaClient,
  { smsCarrier, isOwnStore }: { smsCarrier: string; isOwnStore: boolean },
): Promise<Finding[]> {
  const carriers = await findCarrierStatus(prisma);
  const findings = [...carriers.map(checkCarrier), ...carriers.flatMap(checkUnsupportedSettings)];
  const isBuiltIn = findBuiltInType(smsCarrier) !== null;
  if (!isBuiltIn && !carriers.some(({ name }) => name === smsCarrier)) {
    const advice = `The server does not start. Run "heliograph carrier add ${smsCarrier}", or change SMS_CARRIER.`;
    findings.push(error('carriers.default', `SMS_CARRIER is ${smsCarrier}, but no carrier has this name.`, advice));
  } else if (isBuiltIn && !isOwnStore) {
    const text = `SMS that match no route go to the ${smsCarrier}, so they reach nobody.`;
    findings.push(
      warning('carriers.default', text, 'Set up a carrier (docs/carriers/carriers.md), and set SMS_CARRIER to it.'),
    );
  } else findings.push(ok('carriers.default', `SMS that match no route go to ${smsCarrier}.`));
  return findings;
}

function checkUnsupportedSettings({ name, unsupported }: CarrierStatus): Finding[] {
  return unsupported.map(({ field, rule }) => {
    const text = `${name} ignores its setting ${field}, which ${rule}.`;
    return warning(`carriers.${name}`, text, `Correct it: "heliograph carrier set ${name} --set ${field}=…".`);
  });
}

function checkCarrier(carrier: CarrierStatus): Finding {
  const { name, isActive, waiting, processes } = carrier;
  const check = `carriers.${name}`;
  const waitingText = waiting > 0 ? `; ${formatCount(waiting, 'message')} waiting` : '';
  if (!isActive) {
    const text = `${name} is switched off${waitingText}.`;
    return waiting > 0
      ? warning(check, text, `Run "heliograph carrier set ${name} --on", or route its messages to another carrier.`)
      : ok(check, text);
  }
  const freshReports = processes.filter(({ isFresh }) => isFresh);
  if (freshReports.length === 0) {
    const text = `No running process reports ${name}${waitingText}.`;
    return warning(check, text, 'Start the server, or a process with ROLE=worker.');
  }
  const healthyReports = freshReports.filter(({ state }) => state === 'up' || state === 'limited');
  const text = `${name} is up in ${healthyReports.length} of ${formatCount(freshReports.length, 'process')}`.replace(
    /processs$/,
    'processes',
  );
  if (healthyReports.length === freshReports.length) return ok(check, `${text}${waitingText}.`);
  const [unhealthyReport] = freshReports.filter((report) => !healthyReports.includes(report));
  const reason = unhealthyReport && (findLastError(unhealthyReport)?.text ?? unhealthyReport.reason);
  const fullText = `${text}${waitingText}${reason ? `: ${reason}` : ''}`.replace(/\.?$/, '.');
  const advice = `"heliograph carrier status ${name}" shows details, "heliograph carrier check ${name}" tests it.`;
  return { check, severity: healthyReports.length === 0 ? 'error' : 'warning', text: fullText, advice };
}

/** In the last hour. */
export async function checkCalls(pool: pg.Pool): Promise<Finding[]> {
  return (await readCallHealth(pool, CALL_WINDOW_SECONDS)).map(({ carrier, calls, failed, last }) => {
    const check = `calls.${carrier}`;
    const text = `${failed} of ${formatCount(calls, 'call')} to ${carrier} failed within the last hour`;
    if (!last || calls < MIN_CALLS || failed * 2 < calls) return ok(check, `${text}.`);
    const failure = last.failure ?? `status ${last.status}`;
    const advice = `"heliograph carrier calls ${carrier} --failed" shows requests and responses.`;
    return warning(check, `${text}, the last with ${failure}: ${last.method} ${last.url}`, advice);
  });
}

export async function checkChannels(pool: pg.Pool): Promise<Finding[]> {
  const paused = await readPausedChannels(pool);
  if (paused.length === 0) return [ok('channels.paused', 'No channel is paused.')];
  const names = paused.map(({ name, reason }) => (reason ? `${name} (${reason})` : name));
  const text = `${formatCount(paused.length, 'channel')} ${paused.length === 1 ? 'is' : 'are'} paused, so its messages wait: ${listSome(names)}.`;
  return [warning('channels.paused', text, `Fix the reason, then run "heliograph channel resume ${paused[0]?.id}".`)];
}

export async function checkWebhooks(pool: pg.Pool): Promise<Finding[]> {
  const { active, disabled, failing, failingHosts, due, lagSeconds } = await readWebhookHealth(pool);
  const findings: Finding[] = [];
  const failingWebhooks =
    disabled + failing + failingHosts > 0
      ? await listEveryWebhook(pool, { accountId: null, onlyFailing: true, limit: MAX_FAILING })
      : [];
  const listNames = (matches: (each: EveryWebhook) => boolean, count: number) => {
    const listedWebhooks = failingWebhooks.filter(matches).slice(0, MAX_NAMED);
    const names = listedWebhooks.map(
      ({ id, url, accountName, accountId }) => `${id} (${url}, of ${accountName}, ${accountId})`,
    );
    const more = count - listedWebhooks.length;
    return `${names.join(', ')}${more > 0 && listedWebhooks.length > 0 ? ` and ${more} more` : ''}`;
  };
  if (disabled > 0) {
    const text = `${formatCount(disabled, 'webhook')} ${disabled === 1 ? 'was' : 'were'} disabled, because ${disabled === 1 ? 'it' : 'they'} returned 410 or failed for five days: ${listNames(({ isActive }) => !isActive, disabled)}.`;
    const advice =
      '"heliograph webhook failing" shows their responses. After the fix, "heliograph webhook resend WEBHOOK_ID --enable" ' +
      'enables one and resends failed deliveries; so does the console.';
    findings.push(warning('webhooks.disabled', text, advice));
  }
  if (failing > 0) {
    const text = `Every delivery of ${formatCount(failing, 'webhook')} currently fails: ${listNames(({ isActive, isCallback }) => isActive && !isCallback, failing)}.`;
    const advice =
      'Notify their owners; they are disabled after five days. "heliograph webhook failing" shows their responses.';
    findings.push(warning('webhooks.failing', text, advice));
  }
  if (failingHosts > 0) {
    const text = `Every delivery to ${formatCount(failingHosts, 'host')} of callback URLs currently fails: ${listNames(({ isCallback }) => isCallback, failingHosts)}.`;
    const advice = 'Notify the owners; hosts are never disabled. "heliograph webhook failing" shows their responses.';
    findings.push(warning('webhooks.failing-hosts', text, advice));
  }
  const severity = classifySeverity(lagSeconds, LAG_SECONDS);
  if (severity !== 'ok') {
    const text = `${formatCount(due, 'delivery').replace(/ys$/, 'ies')} of webhooks are due, the oldest for ${formatDuration(lagSeconds)}.`;
    const advice =
      'Make sure that a process with ROLE=all or ROLE=worker runs. If one does, raise WEBHOOK_CONCURRENCY.';
    findings.push({ check: 'webhooks.lag', severity, text, advice });
  }
  if (findings.length > 0) return findings;
  return [
    ok('webhooks.lag', active > 0 ? `${formatCount(active, 'webhook')}, none behind.` : 'There are no webhooks.'),
  ];
}

export async function checkAccess(pool: pg.Pool): Promise<Finding[]> {
  const { accounts, disabledAccounts, keys, operators } = await readPeople(pool);
  const off = disabledAccounts > 0 ? `, ${disabledAccounts} switched off` : '';
  return [
    accounts === 0
      ? warning(
          'accounts.present',
          'There is no account, so every request is rejected.',
          'Create one with "heliograph account create <name>".',
        )
      : ok('accounts.present', `${formatCount(accounts, 'account')}${off}.`),
    keys === 0
      ? warning(
          'accounts.keys',
          'There is no API key, so every request is rejected.',
          'Create one with "heliograph app create" or "heliograph key create".',
        )
      : ok('accounts.keys', `${formatCount(keys, 'key')} in use.`),
    operators === 0
      ? warning(
          'operators.present',
          'Nobody can sign in to the console.',
          'Create an operator with "heliograph operator create <name>": it prints a sign-in link.',
        )
      : ok('operators.present', `${formatCount(operators, 'operator')}.`),
  ];
}
