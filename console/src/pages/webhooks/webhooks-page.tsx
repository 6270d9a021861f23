import { Button, SegmentedControl, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import {
  createWebhook,
  type Webhook,
  type WebhookDraft,
  type WebhookOwner,
  type WebhookWithSecret,
  webhooksKey,
  webhooksQuery,
} from '../../api/webhooks.js';
import { useSearchParams } from '../../browser/search.js';
import { useAccountId, useCan, useChannel } from '../../session/session.js';
import { text } from '../../text/en.js';
import { AddButton } from '../../ui/basics/add-button.js';
import { TextLink } from '../../ui/basics/links.js';
import { SecretModal } from '../../ui/dialogs/secret-modal.js';
import { EmptyState } from '../../ui/feedback/empty-state.js';
import { LoadingState } from '../../ui/feedback/loading-state.js';
import { Page } from '../../ui/layout/page.js';
import { type Column, DataTable, nameColumn } from '../../ui/tables/data-table.js';
import { StatusBadge } from '../../ui/values/status-badge.js';
import { TimeText } from '../../ui/values/time-text.js';
import { SecretNotice } from './secret-notice.js';
import { WebhookForm } from './webhook-form.js';

const words = text.webhooks;

export function WebhooksPage() {
  const accountId = useAccountId();
  const { channel, channels } = useChannel();
  const [params, setParams] = useSearchParams();
  const mayCreate = useCan('developer');
  // The page shows account webhooks by default, because they receive all events, including those of SMS sent by apps.
  const isAccountWide = params.of !== 'channel' || channels?.length === 0;
  const owner: WebhookOwner = { accountId, channelId: isAccountWide ? null : (channel?.id ?? null) };
  const [isCreating, { open, close }] = useDisclosure();
  const create = mayCreate && channels && <AddButton onClick={open}>{words.create}</AddButton>;
  return (
    <Page title={words.title} lead={words.lead} actions={create}>
      {channel && (
        <SegmentedControl
          aria-label={words.ownerLabel}
          value={isAccountWide ? 'account' : 'channel'}
          onChange={(scope) => setParams({ of: scope === 'channel' ? scope : undefined })}
          data={[
            { value: 'account', label: words.ofAccount },
            { value: 'channel', label: words.ofChannel(channel.name) },
          ]}
          style={{ alignSelf: 'flex-start', maxWidth: '100%' }}
        />
      )}
      <Text size="sm" c="dimmed" maw={720}>
        {isAccountWide ? words.ofAccountHint : words.ofChannelHint}
      </Text>
      {channels ? <WebhookList owner={owner} create={create} /> : <LoadingState lines={4} />}
      <NewWebhook
        key={webhooksKey(owner).join()}
        owner={owner}
        formats={!isAccountWide && channel?.kind === 'whatsapp' ? WHATSAPP_FORMATS : SMS_FORMATS}
        opened={isCreating}
        onClose={close}
      />
    </Page>
  );
}

/** Meta's format exists only for WhatsApp channels. */
const SMS_FORMATS = ['standard', 'twilio'] as const;
const WHATSAPP_FORMATS = ['standard', 'meta', 'twilio'] as const;

const NEW_WEBHOOK: WebhookDraft = {
  url: '',
  events: ['message.status'],
  format: 'standard',
  verifyToken: '',
  appSecret: '',
  authToken: '',
};

interface NewWebhookProps {
  owner: WebhookOwner;
  formats: readonly WebhookDraft['format'][];
  opened: boolean;
  onClose(): void;
}

function NewWebhook({ owner, formats, opened, onClose }: NewWebhookProps) {
  const client = useQueryClient();
  const [created, setCreated] = useState<WebhookWithSecret | null>(null);
  const create = async (draft: WebhookDraft) => {
    setCreated(await createWebhook(owner, draft));
    await client.invalidateQueries({ queryKey: webhooksKey(owner) });
  };
  const close = () => {
    onClose();
    setCreated(null);
  };
  return (
    <SecretModal
      holdsSecret={created !== null}
      opened={opened}
      onClose={close}
      title={created ? words.createdNotice : words.create}
      size="lg"
    >
      {created ? (
        <>
          <SecretNotice secret={created.secret} format={created.format} />
          <Button mt="md" onClick={close} fullWidth>
            {text.common.done}
          </Button>
        </>
      ) : (
        <WebhookForm
          initial={NEW_WEBHOOK}
          isAccountWide={owner.channelId === null}
          formats={formats}
          submit={words.create}
          onSubmit={create}
        />
      )}
    </SecretModal>
  );
}

export const toOwnerSearch = ({ channelId }: WebhookOwner) =>
  channelId === null ? { of: 'account' } : { of: 'channel', channel: channelId };

function WebhookList({ owner, create }: { owner: WebhookOwner; create: ReactNode }) {
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(webhooksQuery(owner));
  const toWebhook = ({ id }: Webhook) => ({
    to: '/a/$accountId/webhooks/$webhookId' as const,
    params: { accountId: owner.accountId, webhookId: id },
    search: toOwnerSearch(owner),
  });
  const columns: Column<Webhook>[] = [
    nameColumn(words.url, (webhook) => <TextLink {...toWebhook(webhook)}>{webhook.url}</TextLink>),
    { key: 'state', header: words.state, render: (webhook) => <WebhookState webhook={webhook} /> },
    { key: 'format', header: words.format, render: ({ format }) => words.formats[format] },
    { key: 'events', header: words.events, render: ({ events }) => events.join(', ') },
    { key: 'madeBy', header: text.apps.createdBy, render: ({ madeBy }) => madeBy ?? text.apps.createdByUnknown },
    {
      key: 'created',
      header: words.created,
      nowrap: true,
      render: ({ createdAt }) => <TimeText value={createdAt} as="date" />,
    },
  ];
  return (
    <DataTable
      caption={words.title}
      columns={columns}
      rows={data}
      error={error}
      onRetry={() => void refetch()}
      onOpen={(webhook) => void navigate(toWebhook(webhook))}
      empty={<EmptyState icon="webhook" title={words.none} hint={words.noneHint} action={create} />}
    />
  );
}

export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { isActive, disabledReason, failingSince } = webhook;
  if (!isActive) {
    const label = disabledReason ? words.disabledBecause[disabledReason] : undefined;
    return <StatusBadge status="disabled" label={label ?? words.disabled} />;
  }
  return failingSince ? <StatusBadge status="degraded" label={words.failing} /> : <StatusBadge status="active" />;
}
