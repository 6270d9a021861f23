import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import {
  type Automation,
  type AutomationDraft,
  automationQuery,
  automationsKey,
  createAutomation,
  deleteAutomation,
  updateAutomation,
} from '../../api/automations.js';
import type { ChannelRef } from '../../api/channel-ref.js';
import { useRemoval } from '../../api/client/removal.js';
import { useAccountId, useCan } from '../../session/session.js';
import { WhatsappOnly } from '../../shared/whatsapp-only.js';
import { text } from '../../text/en.js';
import { TextLink } from '../../ui/basics/links.js';
import { DeleteButton } from '../../ui/dialogs/delete-button.js';
import { notify } from '../../ui/feedback/notices.js';
import { useVersionedForm } from '../../ui/forms/use-versioned-form.js';
import { Page } from '../../ui/layout/page.js';
import { PendingPage } from '../../ui/layout/pending-page.js';
import { AutomationForm } from './automation-form.js';
import { Runs } from './runs.js';

const words = text.automations;
const EMPTY: AutomationDraft = { name: '', keyword: '', cooldownSeconds: 60, isActive: true, steps: [] };

/** Shows the form for a new automation if the ID in the URL is `new`. */
export function AutomationPage() {
  const accountId = useAccountId();
  const { automationId = '' } = useParams({ strict: false });
  return (
    <WhatsappOnly title={words.automationTitle} sms>
      {(channelId) =>
        automationId === 'new' ? (
          <NewAutomation channelRef={{ accountId, channelId }} />
        ) : (
          <AutomationView key={automationId} channelRef={{ accountId, channelId }} id={automationId} />
        )
      }
    </WhatsappOnly>
  );
}

function Back({ channelRef }: { channelRef: ChannelRef }) {
  return (
    <TextLink
      to="/a/$accountId/automations"
      params={{ accountId: channelRef.accountId }}
      search={{ channel: channelRef.channelId }}
    >
      {words.back}
    </TextLink>
  );
}

function NewAutomation({ channelRef }: { channelRef: ChannelRef }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const create = async (draft: AutomationDraft) => {
    const { id } = await createAutomation(channelRef, draft);
    await client.invalidateQueries({ queryKey: automationsKey(channelRef) });
    notify(words.createdNotice);
    await navigate({
      to: '/a/$accountId/automations/$automationId',
      params: { accountId: channelRef.accountId, automationId: id },
      search: { channel: channelRef.channelId },
    });
  };
  return (
    <Page title={words.create} back={<Back channelRef={channelRef} />} narrow>
      <AutomationForm channelRef={channelRef} initial={EMPTY} submit={words.createSubmit} onSubmit={create} />
    </Page>
  );
}

function AutomationView({ channelRef, id }: { channelRef: ChannelRef; id: string }) {
  const navigate = useNavigate();
  const removal = useRemoval();
  const mayChange = useCan('developer');
  const { data: automation, error, refetch } = useQuery(automationQuery(channelRef, id));
  const back = <Back channelRef={channelRef} />;
  if (!automation) {
    return <PendingPage title={words.automationTitle} back={back} error={error} onRetry={() => void refetch()} />;
  }
  const remove = () =>
    removal({
      queryKey: automationQuery(channelRef, id).queryKey,
      remove: () => deleteAutomation(channelRef, id),
      leave: () =>
        navigate({
          to: '/a/$accountId/automations',
          params: { accountId: channelRef.accountId },
          search: { channel: channelRef.channelId },
        }),
      listsKey: automationsKey(channelRef),
    });
  return (
    <Page
      title={automation.name}
      back={back}
      narrow
      actions={mayChange && <DeleteButton name={automation.name} words={words} onDelete={remove} />}
    >
      <Settings key={id} channelRef={channelRef} automation={automation} />
      <Runs channelRef={channelRef} automation={automation} />
    </Page>
  );
}

function Settings({ channelRef, automation }: { channelRef: ChannelRef; automation: Automation }) {
  const client = useQueryClient();
  const mayChange = useCan('developer');
  const refresh = () => client.invalidateQueries({ queryKey: automationsKey(channelRef) });
  const form = useVersionedForm(automation, refresh);
  const save = (draft: AutomationDraft) =>
    form.save(async (before) => {
      const updated = await updateAutomation(channelRef, before, draft);
      client.setQueryData(automationQuery(channelRef, before.id).queryKey, updated);
      await refresh();
      notify(words.saved);
      return updated;
    });
  return (
    <>
      {form.notice}
      <AutomationForm
        key={form.formKey}
        channelRef={channelRef}
        initial={toDraft(form.resource)}
        submit={text.common.save}
        readOnly={!mayChange}
        onTouched={form.onTouched}
        onSubmit={save}
      />
    </>
  );
}

function toDraft({ name, keyword, cooldownSeconds, isActive, steps }: Automation): AutomationDraft {
  return { name, keyword: keyword ?? '', cooldownSeconds, isActive, steps: steps as AutomationDraft['steps'] };
}
