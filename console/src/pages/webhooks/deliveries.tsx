import { Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useKeyPages } from '../../api/client/key-pages.js';
import {
  type Delivery,
  POLL_MS,
  replayDelivery,
  type Webhook,
  type WebhookOwner,
  webhookEndpoint,
  webhooksKey,
} from '../../api/webhooks.js';
import { useSearchParams } from '../../browser/search.js';
import { useCan } from '../../session/session.js';
import { MessageLink } from '../../shared/message-link.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { WorkButton } from '../../ui/dialogs/work-button.js';
import { EmptyState } from '../../ui/feedback/empty-state.js';
import { notify } from '../../ui/feedback/notices.js';
import { CopyButton } from '../../ui/forms/copy-field.js';
import { StatusFilter } from '../../ui/forms/status-filter.js';
import { Section } from '../../ui/layout/section.js';
import { type Column, DataTable } from '../../ui/tables/data-table.js';
import { type Fact, FactLines } from '../../ui/tables/facts.js';
import { BodyBlock } from '../../ui/values/body-block.js';
import { StatusBadge } from '../../ui/values/status-badge.js';
import { TimeText } from '../../ui/values/time-text.js';

const words = text.webhooks;
const STATES = ['pending', 'delivered', 'failed'] as const;

export function Deliveries({ owner, webhook }: { owner: WebhookOwner; webhook: Webhook }) {
  const client = useQueryClient();
  const mayReplay = useCan('developer') && webhook.isActive;
  const [{ status }] = useSearchParams();
  const { base, params } = webhookEndpoint(owner);
  const [openId, setOpenId] = useState<string | null>(null);
  const queryKey = [...webhooksKey(owner), webhook.id, 'deliveries'];
  const pages = useKeyPages({
    queryKey,
    endpoint: `GET ${base}/:id/deliveries`,
    params: { ...params, id: webhook.id },
    query: { status },
    pollInterval: (rows) => rows.some(({ status }) => status === 'pending') && POLL_MS,
  });
  const replay = async ({ id }: Delivery) => {
    await replayDelivery(owner, webhook.id, id);
    await client.invalidateQueries({ queryKey });
    notify(words.replayed);
  };
  const openDelivery = pages.rows?.find(({ id }) => id === openId);
  const columns: Column<Delivery>[] = [
    {
      key: 'type',
      header: words.event,
      bare: true,
      render: (delivery) => (
        <Button variant="subtle" size="compact-sm" onClick={() => setOpenId(delivery.id)}>
          {delivery.type}
        </Button>
      ),
    },
    { key: 'status', header: words.state, render: ({ status }) => <StatusBadge status={status} /> },
    { key: 'answer', header: words.response, breaks: true, render: (delivery) => responseText(delivery) },
    { key: 'attempts', header: words.attempts, align: 'right', render: ({ attempts }) => attempts },
    {
      key: 'message',
      header: words.message,
      render: (delivery) => <DeliveryMessage accountId={owner.accountId} delivery={delivery} />,
    },
    {
      key: 'created',
      header: words.eventTime,
      nowrap: true,
      render: ({ createdAt }) => <TimeText value={createdAt} as="exact" />,
    },
  ];
  return (
    <Section title={words.deliveries} lead={words.deliveriesLead}>
      <StatusFilter label={words.deliveryState} allLabel={words.all} statuses={STATES} />
      <DataTable
        caption={words.deliveryTable}
        columns={columns}
        pages={pages}
        onOpen={({ id }) => setOpenId(id)}
        empty={<EmptyState icon="webhook" title={words.noDeliveries} hint={words.noDeliveriesHint} />}
      />
      <Modal
        opened={openDelivery !== undefined}
        onClose={() => setOpenId(null)}
        title={openDelivery?.type ?? ''}
        size="lg"
      >
        {openDelivery && (
          <DeliveryView
            accountId={owner.accountId}
            delivery={openDelivery}
            onReplay={mayReplay ? () => replay(openDelivery) : undefined}
          />
        )}
      </Modal>
    </Section>
  );
}

function responseText({ lastStatusCode, lastError }: Delivery): string {
  if (lastError) return lastError;
  return lastStatusCode === null ? '–' : String(lastStatusCode);
}

interface DeliveryMessageProps {
  accountId: string;
  delivery: Delivery;
  whole?: boolean;
}

function DeliveryMessage({ accountId, delivery: { messageId, type }, whole = false }: DeliveryMessageProps) {
  if (messageId === null) return '–';
  // Received messages have no page, so they are not linked.
  return <MessageLink messageId={messageId} accountId={type === 'message.status' ? accountId : null} whole={whole} />;
}

interface DeliveryViewProps {
  accountId: string;
  delivery: Delivery;
  onReplay: (() => Promise<void>) | undefined;
}

function DeliveryView({ accountId, delivery, onReplay }: DeliveryViewProps) {
  const { id, status, body, bodyTruncated, attempts, lastAttemptAt, nextAttemptAt, deliveredAt } = delivery;
  const facts: (Fact | null)[] = [
    [words.deliveryId, id],
    delivery.messageId
      ? [words.message, <DeliveryMessage key="message" accountId={accountId} delivery={delivery} whole />]
      : null,
    [words.response, responseText(delivery)],
    [words.attempts, attempts],
    [words.lastAttempt, <TimeText key="last" value={lastAttemptAt} as="exact" />],
    nextAttemptAt ? [words.nextAttempt, <TimeText key="next" value={nextAttemptAt} as="exact" />] : null,
    deliveredAt ? [words.delivered, <TimeText key="done" value={deliveredAt} as="exact" />] : null,
  ];
  return (
    <Stack>
      <StatusBadge status={status} />
      <FactLines facts={facts} />
      <AttemptList delivery={delivery} />
      <div>
        <Group justify="space-between" mb={4}>
          <Text size="sm" fw={600}>
            {bodyTruncated ? words.payloadCut : words.payload}
          </Text>
          <CopyButton value={body} label={text.common.copyOf(words.payload)} size="xs" />
        </Group>
        <BodyBlock body={body} mah={320} />
      </div>
      {onReplay && (
        <Group justify="flex-end">
          <WorkButton leftSection={<Icon name="refresh" size={16} />} work={onReplay}>
            {words.replay}
          </WorkButton>
        </Group>
      )}
    </Stack>
  );
}

function AttemptList({ delivery: { tries } }: { delivery: Delivery }) {
  if (tries.length === 0) return null;
  return (
    <section aria-label={words.tries}>
      <Text size="sm" fw={600} mb={4}>
        {words.tries}
      </Text>
      <Stack component="ol" gap="xs" m={0} p={0} style={{ listStyle: 'none' }}>
        {tries.toReversed().map(({ at, statusCode, error, answer }) => (
          <li key={at}>
            <Group gap="xs" justify="space-between">
              <Text size="sm">{error ?? statusCode}</Text>
              <Text size="sm" c="dimmed">
                <TimeText value={at} as="exact" />
              </Text>
            </Group>
            {answer && (
              <Code
                block
                tabIndex={0}
                mah={120}
                style={{ overflow: 'auto', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
              >
                {answer}
              </Code>
            )}
          </li>
        ))}
      </Stack>
    </section>
  );
}
