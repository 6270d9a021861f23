import { Switch } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useRemoval } from '../../api/asking/removal.js';
import {
  deleteWebhook,
  rotateSecret,
  testWebhook,
  updateWebhook,
  type Webhook,
  type WebhookPlace,
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
import { useOpened } from '../../ui/forms/use-opened.js';
import { Page } from '../../ui/layout/page.js';
import { PendingPage } from '../../ui/layout/pending-page.js';
import { Section } from '../../ui/layout/section.js';
import { Deliveries } from './deliveries.js';
import { SecretDialog } from './secret-dialog.js';
import { WebhookForm } from './webhook-form.js';
import { placeSearch, WebhookState } from './webhooks-page.js';

const words = text.webhooks;

/** One webhook: its settings, its secret, and what was delivered to it. */
export function WebhookPage() {
  const accountId = useAccountId();
  const { webhookId = '' } = useParams({ strict: false });
  const [params] = useSearchParams();
  const { channel, channels } = useChannel();
  // An address from before these had a default names a channel alone.
  const ofAccount = params.of === 'account' || (params.of === undefined && params.channel === undefined);
  if (!ofAccount && !channel) {
    return <Page title={words.webhookTitle}>{channels ? null : <LoadingState lines={4} />}</Page>;
  }
  return <WebhookView place={{ accountId, channelId: ofAccount ? null : (channel?.id ?? null) }} id={webhookId} />;
}

function WebhookView({ place, id }: { place: WebhookPlace; id: string }) {
  const { data: webhook, error, refetch } = useQuery(webhookQuery(place, id));
  const [secret, setSecret] = useState<string | null>(null);
  const back = (
    <TextLink to="/a/$accountId/webhooks" params={{ accountId: place.accountId }} search={placeSearch(place)}>
      {words.back}
    </TextLink>
  );
  if (!webhook) {
    return <PendingPage title={words.webhookTitle} back={back} error={error} onRetry={() => void refetch()} />;
  }
  const where = `${place.channelId === null ? words.ofAccount : words.ofThisChannel} · ${words.formats[webhook.format]}`;
  return (
    <Page
      title={new URL(webhook.url).host}
      lead={where}
      back={back}
      actions={<Actions place={place} webhook={webhook} />}
    >
      <Settings key={webhook.id} place={place} webhook={webhook} onSecret={setSecret} />
      <Deliveries place={place} webhook={webhook} />
      <SecretDialog secret={secret} format={webhook.format} onDone={() => setSecret(null)} />
    </Page>
  );
}

function Actions({ place, webhook }: { place: WebhookPlace; webhook: Webhook }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const removal = useRemoval();
  const mayChange = useCan('developer');
  if (!mayChange) return null;
  const test = async () => {
    await testWebhook(place, webhook.id);
    await client.invalidateQueries({ queryKey: webhooksKey(place) });
    notify(words.tested);
  };
  const remove = () =>
    removal({
      queryKey: webhookQuery(place, webhook.id).queryKey,
      remove: () => deleteWebhook(place, webhook.id),
      leave: () =>
        navigate({ to: '/a/$accountId/webhooks', params: { accountId: place.accountId }, search: placeSearch(place) }),
      listsKey: webhooksKey(place),
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
  place: WebhookPlace;
  webhook: Webhook;
  onSecret(secret: string): void;
}

function Settings({ place, webhook, onSecret }: SettingsProps) {
  const client = useQueryClient();
  const mayChange = useCan('developer');
  const { id, isActive } = webhook;
  const readAgain = () => client.invalidateQueries({ queryKey: webhooksKey(place) });
  const opened = useOpened(webhook, readAgain);
  const { url, events, format } = opened.thing;
  const change = (changes: Parameters<typeof updateWebhook>[2]) => async (before: Webhook) => {
    const changed = await updateWebhook(place, before, changes);
    client.setQueryData(webhookQuery(place, id).queryKey, changed);
    await readAgain();
    notify(words.saved);
    return changed;
  };
  const rotate = async () => onSecret((await rotateSecret(place, id)).secret);
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
                void opened.beside(change({ isActive: event.currentTarget.checked })).catch(notifyError)
              }
            />
          ) : (
            <WebhookState webhook={webhook} />
          )
        }
        {...(!isActive || webhook.failingSince ? { lead: <WebhookState webhook={webhook} /> } : {})}
      >
        {opened.notice}
        <WebhookForm
          key={opened.round}
          initial={{ url, events, format, verifyToken: '', appSecret: '', authToken: '' }}
          ofAccount={place.channelId === null}
          isMade
          submit={text.common.save}
          readOnly={!mayChange}
          onTouched={opened.onTouched}
          onSubmit={(draft) => opened.save(change(draft))}
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
