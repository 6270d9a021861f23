import { Switch } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useRemoval } from '../../api/client/removal.js';
import {
  deleteWebhook,
  rotateSecret,
  testWebhook,
  updateWebhook,
  type Webhook,
  type WebhookOwner,
  webhookQuery,
  webhooksKey,
} from '../../api/webhooks.js';
import { useSearchParams } from '../../browser/search.js';
import { useAccountId, useCan, useChannel } from '../../session/session.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { TextLink } from '../../ui/basics/links.js';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.js';
import { DeleteButton } from '../../ui/dialogs/delete-button.js';
import { WorkButton } from '../../ui/dialogs/work-button.js';
import { LoadingState } from '../../ui/feedback/loading-state.js';
import { notify, notifyError } from '../../ui/feedback/notices.js';
import { useVersionedForm } from '../../ui/forms/use-versioned-form.js';
import { Page } from '../../ui/layout/page.js';
import { PendingPage } from '../../ui/layout/pending-page.js';
import { Section } from '../../ui/layout/section.js';
import { Deliveries } from './deliveries.js';
import { SecretDialog } from './secret-dialog.js';
import { WebhookForm } from './webhook-form.js';
import { toOwnerSearch, WebhookState } from './webhooks-page.js';

const words = text.webhooks;

export function WebhookPage() {
  const accountId = useAccountId();
  const { webhookId = '' } = useParams({ strict: false });
  const [params] = useSearchParams();
  const { channel, channels } = useChannel();
  // Old links to channel webhooks contain the parameter `channel`, but not `of`.
  const isAccountWide = params.of === 'account' || (params.of === undefined && params.channel === undefined);
  if (!isAccountWide && !channel) {
    return <Page title={words.webhookTitle}>{channels ? null : <LoadingState lines={4} />}</Page>;
  }
  return <WebhookView owner={{ accountId, channelId: isAccountWide ? null : (channel?.id ?? null) }} id={webhookId} />;
}

function WebhookView({ owner, id }: { owner: WebhookOwner; id: string }) {
  const { data: webhook, error, refetch } = useQuery(webhookQuery(owner, id));
  const [secret, setSecret] = useState<string | null>(null);
  const back = (
    <TextLink to="/a/$accountId/webhooks" params={{ accountId: owner.accountId }} search={toOwnerSearch(owner)}>
      {words.back}
    </TextLink>
  );
  if (!webhook) {
    return <PendingPage title={words.webhookTitle} back={back} error={error} onRetry={() => void refetch()} />;
  }
  const lead = `${owner.channelId === null ? words.ofAccount : words.ofThisChannel} · ${words.formats[webhook.format]}`;
  return (
    <Page
      title={new URL(webhook.url).host}
      lead={lead}
      back={back}
      actions={<Actions owner={owner} webhook={webhook} />}
    >
      <Settings key={webhook.id} owner={owner} webhook={webhook} onSecret={setSecret} />
      <Deliveries owner={owner} webhook={webhook} />
      <SecretDialog secret={secret} format={webhook.format} onDone={() => setSecret(null)} />
    </Page>
  );
}

function Actions({ owner, webhook }: { owner: WebhookOwner; webhook: Webhook }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const removal = useRemoval();
  const mayChange = useCan('developer');
  if (!mayChange) return null;
  const test = async () => {
    await testWebhook(owner, webhook.id);
    await client.invalidateQueries({ queryKey: webhooksKey(owner) });
    notify(words.tested);
  };
  const remove = () =>
    removal({
      queryKey: webhookQuery(owner, webhook.id).queryKey,
      remove: () => deleteWebhook(owner, webhook.id),
      leave: () =>
        navigate({
          to: '/a/$accountId/webhooks',
          params: { accountId: owner.accountId },
          search: toOwnerSearch(owner),
        }),
      listsKey: webhooksKey(owner),
    });
  return (
    <>
      <WorkButton disabled={!webhook.isActive} leftSection={<Icon name="send" size={16} />} work={test}>
        {words.test}
      </WorkButton>
      <DeleteButton name={webhook.url} words={words} onDelete={remove} />
    </>
  );
}

interface SettingsProps {
  owner: WebhookOwner;
  webhook: Webhook;
  onSecret(secret: string): void;
}

function Settings({ owner, webhook, onSecret }: SettingsProps) {
  const client = useQueryClient();
  const mayChange = useCan('developer');
  const { id, isActive } = webhook;
  const refresh = () => client.invalidateQueries({ queryKey: webhooksKey(owner) });
  const form = useVersionedForm(webhook, refresh);
  const { url, events, format } = form.resource;
  const change = (changes: Parameters<typeof updateWebhook>[2]) => async (before: Webhook) => {
    const updated = await updateWebhook(owner, before, changes);
    client.setQueryData(webhookQuery(owner, id).queryKey, updated);
    await refresh();
    notify(words.saved);
    return updated;
  };
  const rotate = async () => onSecret((await rotateSecret(owner, id)).secret);
  return (
    <>
      <Section
        title={words.settings}
        actions={
          mayChange ? (
            <Switch
              label={words.enabled}
              checked={isActive}
              onChange={(event) =>
                void form.saveOutsideForm(change({ isActive: event.currentTarget.checked })).catch(notifyError)
              }
            />
          ) : (
            <WebhookState webhook={webhook} />
          )
        }
        {...(!isActive || webhook.failingSince ? { lead: <WebhookState webhook={webhook} /> } : {})}
      >
        {form.notice}
        <WebhookForm
          key={form.formKey}
          initial={{ url, events, format, verifyToken: '', appSecret: '', authToken: '' }}
          isAccountWide={owner.channelId === null}
          isExisting
          submit={text.common.save}
          readOnly={!mayChange}
          onTouched={form.onTouched}
          onSubmit={(draft) => form.save(change(draft))}
        />
      </Section>
      {mayChange && (
        <Section
          title={words.secretNames[format]}
          lead={words.secretLead}
          actions={
            <ConfirmButton
              {...(format === 'standard'
                ? words.rotateQuestion()
                : words.rotateAtOnceQuestion(words.secretNames[format]))}
              onConfirm={rotate}
              leftSection={<Icon name="refresh" size={16} />}
            >
              {words.rotate}
            </ConfirmButton>
          }
        />
      )}
    </>
  );
}
