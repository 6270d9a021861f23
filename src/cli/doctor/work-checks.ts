import type pg from 'pg';
import { readKeptKinds } from '../../carriers/callbacks/kept/kinds-store.js';
import { readCallHealth } from '../../carriers/http/call-store.js';
import { builtInType } from '../../carriers/types.js';
import { type CarrierStatus, findCarrierStatus, findLastError } from '../../features/carriers/carrier-status.js';
import { type EveryWebhook, listEveryWebhook } from '../../features/webhooks/every-webhook-store.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { counted, inTime, someOf } from './amounts.js';
import { error, type Finding, ok, severityOf, warning } from './finding.js';
import {
  readCallbackBacklog,
  readPausedChannels,
  readPeople,
  readWaiting,
  readWebhookHealth,
  type Waiting,
} from './work-store.js';

/** Webhooks that are named in a finding, of each kind. */
const MOST_NAMED = 5;
const MOST_UNWELL = 1_000;
const DUE_SECONDS = { warning: 300, error: 3_600 };
/** One about a message that may still come waits for two minutes. */
const CALLBACK_SECONDS = { warning: 180, error: 3_600 };
/** The calls of carriers that are looked at; so few of them say nothing. */
const CALLS_OF_SECONDS = 3_600;
const FEW_CALLS = 10;
const LAG_SECONDS = { warning: 60, error: 3_600 };

const STATES: Record<Waiting['state'], string> = {
  due: 'due',
  sending: 'being sent',
  retry: 'waiting for another try',
  scheduled: 'scheduled for later',
};

export async function checkWaiting(pool: pg.Pool): Promise<Finding[]> {
  const waiting = await readWaiting(pool);
  if (waiting.length === 0) return [ok('waiting.messages', 'No message waits to be sent.')];
  return waiting.map(({ lane, state, messages, oldestSeconds }) => {
    const check = `waiting.${lane}`;
    const text = `${counted(messages, 'message')} ${STATES[state]}, the oldest for ${inTime(oldestSeconds)}.`;
    const severity = state === 'due' ? severityOf(oldestSeconds, DUE_SECONDS) : 'ok';
    if (severity === 'ok') return ok(check, text);
    const advice =
      'See that a process with ROLE=all or ROLE=worker runs, that the queue answers, and "heliograph carrier status".';
    return { check, severity, text, advice };
  });
}

export async function checkCallbacks(pool: pg.Pool): Promise<Finding[]> {
  const { waiting, oldestSeconds, setAside } = await readCallbackBacklog(pool);
  const findings: Finding[] = [];
  const severity = severityOf(oldestSeconds, CALLBACK_SECONDS);
  if (severity !== 'ok') {
    const text = `${counted(waiting, 'callback')} of carriers wait, the oldest for ${inTime(oldestSeconds)}.`;
    findings.push({
      check: 'callbacks.waiting',
      severity,
      text,
      advice: 'See that a process with ROLE=all or ROLE=worker runs.',
    });
  }
  if (setAside > 0) {
    const text = `${counted(setAside, 'callback')} of carriers could not be worked off and ${setAside === 1 ? 'was' : 'were'} set aside.`;
    const advice = 'The log says why. docs/operations.md tells how they are tried again ("Callbacks of carriers").';
    findings.push(warning('callbacks.set-aside', text, advice));
  }
  return findings.length > 0 ? findings : [ok('callbacks.waiting', 'No callback of a carrier waits.')];
}

/** What is kept because nothing uses it is no fault: somebody may want to know, and an upgrade may know it. */
export async function checkKept(pool: pg.Pool, hasSecret: boolean): Promise<Finding[]> {
  const kinds = await readKeptKinds(pool);
  if (kinds.length === 0) return [ok('callbacks.kept', 'No report of a carrier is kept.')];
  const total = kinds.reduce((sum, { reports }) => sum + reports, 0);
  const names = someOf(kinds.map(({ kind, reports }) => `${kind} (${reports})`));
  const text = `${counted(total, 'report')} of carriers ${total === 1 ? 'is' : 'are'} kept, for this version does not use ${total === 1 ? 'it' : 'them'}: ${names}.`;
  if (hasSecret) return [ok('callbacks.kept', `${text} "heliograph callbacks list" shows them.`)];
  const advice =
    'Set KEPT_REPORTS_SECRET, so that what comes from now on is kept whole: their texts are left out without it.';
  return [warning('callbacks.kept', text, advice)];
}

/** Login systems that an operator set up ask for codes, and are refused without a secret. */
export async function checkCodes(prisma: PrismaClient, hasSecret: boolean): Promise<Finding[]> {
  const services = await prisma.signInService.count();
  if (services === 0) return [];
  const text = `${counted(services, 'sign-in service')} ${services === 1 ? 'is' : 'are'} set up`;
  if (hasSecret) return [ok('codes.secret', `${text}.`)];
  const advice =
    'Set VERIFICATION_SECRET, the same in all processes. A store that was moved from an embedded one had it as verifications-key in DATA_DIR.';
  return [warning('codes.secret', `${text}, and sign-in codes are off: VERIFICATION_SECRET is not set.`, advice)];
}

export async function checkCarriers(
  prisma: PrismaClient,
  { smsCarrier, isOwnStore }: { smsCarrier: string; isOwnStore: boolean },
): Promise<Finding[]> {
  const carriers = await findCarrierStatus(prisma);
  const findings = [...carriers.map(findingOf), ...carriers.flatMap(unsupportedIn)];
  const isBuiltIn = builtInType(smsCarrier) !== null;
  if (!isBuiltIn && !carriers.some(({ name }) => name === smsCarrier)) {
    const advice = `The server does not start: "heliograph carrier add ${smsCarrier}", or another SMS_CARRIER.`;
    findings.push(error('carriers.default', `SMS_CARRIER is ${smsCarrier}, and there is no such carrier.`, advice));
  } else if (isBuiltIn && !isOwnStore) {
    const text = `SMS for which no route says otherwise go to the ${smsCarrier}, so they reach nobody.`;
    findings.push(
      warning('carriers.default', text, 'Set up a carrier (docs/carriers.md), and let SMS_CARRIER name it.'),
    );
  } else findings.push(ok('carriers.default', `SMS for which no route says otherwise go to ${smsCarrier}.`));
  return findings;
}

function unsupportedIn({ name, unsupported }: CarrierStatus): Finding[] {
  return unsupported.map(({ field, rule }) => {
    const text = `${name} works without its setting ${field}, which ${rule}.`;
    return warning(`carriers.${name}`, text, `Write another: "heliograph carrier set ${name} --set ${field}=…".`);
  });
}

function findingOf(carrier: CarrierStatus): Finding {
  const { name, isActive, waiting, processes } = carrier;
  const check = `carriers.${name}`;
  const waits = waiting > 0 ? `; ${counted(waiting, 'message')} for it wait` : '';
  if (!isActive) {
    const text = `${name} is switched off${waits}.`;
    return waiting > 0
      ? warning(check, text, `"heliograph carrier set ${name} --on", or a route past it.`)
      : ok(check, text);
  }
  const fresh = processes.filter(({ isFresh }) => isFresh);
  if (fresh.length === 0) {
    const text = `No process that runs tells of ${name}${waits}.`;
    return warning(check, text, 'Start the server, or a process with ROLE=worker.');
  }
  const well = fresh.filter(({ state }) => state === 'up' || state === 'limited');
  const text = `${name} is up in ${well.length} of ${counted(fresh.length, 'process')}`.replace(
    /processs$/,
    'processes',
  );
  if (well.length === fresh.length) return ok(check, `${text}${waits}.`);
  const [unwell] = fresh.filter((each) => !well.includes(each));
  const reason = unwell && (findLastError(unwell)?.text ?? unwell.reason);
  const said = `${text}${waits}${reason ? `: ${reason}` : ''}`.replace(/\.?$/, '.');
  const advice = `"heliograph carrier status ${name}" tells more, "heliograph carrier check ${name}" tries it.`;
  return { check, severity: well.length === 0 ? 'error' : 'warning', text: said, advice };
}

/** How the calls of carriers over HTTP went within the last hour. */
export async function checkCalls(pool: pg.Pool): Promise<Finding[]> {
  return (await readCallHealth(pool, CALLS_OF_SECONDS)).map(({ carrier, calls, failed, last }) => {
    const check = `calls.${carrier}`;
    const text = `${failed} of ${counted(calls, 'call')} of ${carrier} failed within the last hour`;
    if (!last || calls < FEW_CALLS || failed * 2 < calls) return ok(check, `${text}.`);
    const said = last.failure ?? `status ${last.status}`;
    const advice = `"heliograph carrier calls ${carrier} --failed" tells what was asked and answered.`;
    return warning(check, `${text}, the last with ${said}: ${last.method} ${last.url}`, advice);
  });
}

export async function checkChannels(pool: pg.Pool): Promise<Finding[]> {
  const paused = await readPausedChannels(pool);
  if (paused.length === 0) return [ok('channels.paused', 'No channel is paused.')];
  const shown = paused.map(({ name, reason }) => (reason ? `${name} (${reason})` : name));
  const text = `${counted(paused.length, 'channel')} ${paused.length === 1 ? 'is' : 'are'} paused, and its messages wait: ${someOf(shown)}.`;
  return [warning('channels.paused', text, `Mend the reason, then "heliograph channel resume ${paused[0]?.id}".`)];
}

export async function checkWebhooks(pool: pg.Pool): Promise<Finding[]> {
  const { active, disabled, failing, failingHosts, due, lagSeconds } = await readWebhookHealth(pool);
  const findings: Finding[] = [];
  const unwell =
    disabled + failing + failingHosts > 0
      ? await listEveryWebhook(pool, { accountId: null, onlyFailing: true, limit: MOST_UNWELL })
      : [];
  const named = (is: (each: EveryWebhook) => boolean, count: number) => {
    const those = unwell.filter(is).slice(0, MOST_NAMED);
    const names = those.map(({ id, url, accountName, accountId }) => `${id} (${url}, of ${accountName}, ${accountId})`);
    const more = count - those.length;
    return `${names.join(', ')}${more > 0 && those.length > 0 ? ` and ${more} more` : ''}`;
  };
  if (disabled > 0) {
    const text = `${counted(disabled, 'webhook')} ${disabled === 1 ? 'was' : 'were'} disabled, for ${disabled === 1 ? 'it' : 'they'} answered 410 or failed for five days: ${named(({ isActive }) => !isActive, disabled)}.`;
    const advice =
      '"heliograph webhook failing" tells what they answered. Once that is mended, "heliograph webhook resend ' +
      'WEBHOOK_ID --enable" switches one on and sends what was given up; so does the console.';
    findings.push(warning('webhooks.disabled', text, advice));
  }
  if (failing > 0) {
    const text = `Every delivery of ${counted(failing, 'webhook')} fails at the moment: ${named(({ isActive, isCallback }) => isActive && !isCallback, failing)}.`;
    const advice =
      'Tell their owners; after five days they are disabled. "heliograph webhook failing" tells what they answered.';
    findings.push(warning('webhooks.failing', text, advice));
  }
  if (failingHosts > 0) {
    const text = `Every delivery to ${counted(failingHosts, 'host')} of callback URLs fails at the moment: ${named(({ isCallback }) => isCallback, failingHosts)}.`;
    const advice = 'Tell the owners; a host is never disabled. "heliograph webhook failing" tells what they answered.';
    findings.push(warning('webhooks.failing-hosts', text, advice));
  }
  const severity = severityOf(lagSeconds, LAG_SECONDS);
  if (severity !== 'ok') {
    const text = `${counted(due, 'delivery').replace(/ys$/, 'ies')} of webhooks are due, the oldest for ${inTime(lagSeconds)}.`;
    const advice = 'See that a process with ROLE=all or ROLE=worker runs; where one does, raise WEBHOOK_CONCURRENCY.';
    findings.push({ check: 'webhooks.lag', severity, text, advice });
  }
  if (findings.length > 0) return findings;
  return [ok('webhooks.lag', active > 0 ? `${counted(active, 'webhook')}, none behind.` : 'There is no webhook.')];
}

export async function checkPeople(pool: pg.Pool): Promise<Finding[]> {
  const { accounts, disabledAccounts, keys, operators } = await readPeople(pool);
  const off = disabledAccounts > 0 ? `, ${disabledAccounts} switched off` : '';
  return [
    accounts === 0
      ? warning(
          'accounts.present',
          'There is no account, so every request is refused.',
          'Make one with "heliograph account create <name>".',
        )
      : ok('accounts.present', `${counted(accounts, 'account')}${off}.`),
    keys === 0
      ? warning(
          'accounts.keys',
          'There is no key, so every request is refused.',
          'Make one with "heliograph app create" or "heliograph key create".',
        )
      : ok('accounts.keys', `${counted(keys, 'key')} in use.`),
    operators === 0
      ? warning(
          'operators.present',
          'Nobody can sign in at the console.',
          'Make one with "heliograph operator create <name>": it prints a link that signs them in.',
        )
      : ok('operators.present', `${counted(operators, 'operator')}.`),
  ];
}
