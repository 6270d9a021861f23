import { Stack, Text, ThemeIcon, Timeline } from '@mantine/core';
import type { ReactNode } from 'react';
import { explainMessageError } from '../../../../src/carriers/message-error-texts.js';
import type { MessageDetails, Step } from '../../api/messages.js';
import { useAccount, useAccountId } from '../../session/session.js';
import { text } from '../../text/en.js';
import { Icon, type IconName } from '../../ui/basics/icons.js';
import { TextLink } from '../../ui/basics/links.js';
import { formatMoney } from '../../ui/values/numbers.js';
import { TimeText } from '../../ui/values/time-text.js';

const ICONS: Readonly<Record<Step['type'], IconName>> = {
  accepted: 'inbox',
  scheduled: 'calendar',
  held: 'clock',
  claimed: 'play',
  try_failed: 'warning',
  next_try: 'clock',
  sent: 'send',
  part: 'list',
  superseded_receipt: 'list',
  delivered: 'check',
  read: 'eye',
  clicked: 'external',
  ended: 'x',
  refunded: 'coins',
  fallback: 'flow',
  callback: 'webhook',
  webhook: 'webhook',
};
const BAD: ReadonlySet<string> = new Set(['undelivered', 'failed', 'rejected', 'expired', 'refused']);
const GOOD: ReadonlySet<string> = new Set(['delivered', 'read', 'accepted']);

export function MessageTimeline({ message }: { message: MessageDetails }) {
  const currency = useAccount()?.currency ?? 'USD';
  return (
    <Timeline bulletSize={26} lineWidth={2} active={message.timeline.length} color="gray">
      {message.timeline.map((step, index) => (
        <Timeline.Item
          // Steps are only added. A step that is inserted late shifts the indexes, which only causes later steps to render again.
          // biome-ignore lint/suspicious/noArrayIndexKey: steps have no ID
          key={`${step.type} ${step.at} ${index}`}
          bullet={
            <ThemeIcon size={26} radius="xl" variant="light" color={stepColor(step)}>
              <Icon name={ICONS[step.type]} size={15} />
            </ThemeIcon>
          }
          title={stepTitle(step, message, currency)}
        >
          <Text size="xs" c="dimmed">
            <TimeText value={step.at} as="date" /> · <TimeText value={step.at} as="time" />
          </Text>
          <StepDetails step={step} />
        </Timeline.Item>
      ))}
    </Timeline>
  );
}

function stepColor({ type, status }: Step): string {
  if (type === 'try_failed' || type === 'next_try') return 'yellow';
  if (type === 'superseded_receipt') return 'gray';
  if (type === 'webhook' || type === 'callback') return status === 'failed' ? 'red' : 'gray';
  if (status && BAD.has(status)) return 'red';
  return status && GOOD.has(status) ? 'green' : 'blue';
}

function stepTitle(step: Step, message: MessageDetails, currency: string): string {
  const { steps } = text.messages;
  const statuses: Readonly<Record<string, string>> = text.status;
  const statusWord = (status: string | null) => statuses[status ?? ''] ?? status ?? '';
  switch (step.type) {
    case 'accepted':
      return steps.accepted(formatMoney(message.price, currency));
    case 'refunded':
      return steps.refunded(formatMoney(message.price, currency));
    case 'sent':
      return steps.sent(step.carrier ?? message.carrier);
    case 'try_failed':
      return steps.tryFailed(step.attempt ?? 1);
    case 'next_try':
      return steps.nextTry(step.attempt ?? 1);
    case 'part':
      return steps.part(step.part ?? 1, statusWord(step.status));
    case 'superseded_receipt':
      return steps.supersededReceipt(step.carrier ?? message.carrier, statusWord(step.status));
    case 'clicked':
      return steps.clicked(step.link?.clicks ?? 1);
    case 'ended':
      return statusWord(step.status);
    case 'fallback':
      return steps.fallback[step.status as keyof typeof steps.fallback] ?? steps.fallback.due;
    case 'callback':
    case 'webhook':
      return steps[step.type](statusWord(step.event?.tells ?? null));
    default:
      return steps[step.type];
  }
}

function StepDetails({ step }: { step: Step }) {
  const accountId = useAccountId();
  const lines: ReactNode[] = [];
  if (step.type === 'held' && step.error) lines.push(step.error.message);
  else if (step.error) {
    const explanation = explainMessageError(step.error.code);
    lines.push(explanation ? `${explanation.meaning} ${explanation.advice}` : step.error.message);
    lines.push(text.messages.carrierError(step.error.code, step.error.message));
  }
  if (step.maybeAccepted) lines.push(text.messages.maybeAccepted);
  if (step.link) lines.push(step.link.url);
  if (step.messageId) {
    lines.push(
      <TextLink to="/a/$accountId/messages/$messageId" params={{ accountId, messageId: step.messageId }}>
        {text.messages.openSms}
      </TextLink>,
    );
  }
  if (step.event) {
    const { url, webhookId, channelId, attempts, lastStatusCode, lastError, nextAttemptAt } = step.event;
    const outcome = text.messages.deliveryOutcome(step.status ?? '', attempts, lastStatusCode, lastError);
    lines.push(
      webhookId && url !== null ? (
        <TextLink
          to="/a/$accountId/webhooks/$webhookId"
          params={{ accountId, webhookId }}
          search={channelId === null ? { of: 'account' } : { of: 'channel', channel: channelId }}
        >
          {url}
        </TextLink>
      ) : (
        (url ?? text.messages.deletedWebhook)
      ),
      outcome,
    );
    if (nextAttemptAt && step.status === 'pending' && attempts > 0) {
      lines.push(
        <>
          {text.messages.nextAttempt} <TimeText value={nextAttemptAt} as="time" />
        </>,
      );
    }
  }
  if (lines.length === 0) return null;
  return (
    <Stack gap={2} mt={4}>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a step are never reordered
        <Text key={index} size="sm" style={{ overflowWrap: 'anywhere' }}>
          {line}
        </Text>
      ))}
    </Stack>
  );
}
