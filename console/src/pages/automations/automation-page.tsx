import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useRemoval } from '../../api/asking/removal.js';
import {
  type Automation,
  type AutomationDraft,
  automationQuery,
  automationsKey,
  createAutomation,
  deleteAutomation,
  updateAutomation,
} from '../../api/automations.js';
import type { OfChannel } from '../../api/campaigns.js';
import { OfWhatsapp } from '../../parts/of-whatsapp.js';
import { useAccountId, useCan } from '../../session/session.js';
import { text } from '../../text/en.js';
import { TextLink } from '../../ui/basics/links.js';
import { DeleteButton } from '../../ui/dialogs/delete-button.js';
import { notify } from '../../ui/feedback/notices.js';
import { useOpened } from '../../ui/forms/use-opened.js';
import { Page } from '../../ui/layout/page.js';
import { PendingPage } from '../../ui/layout/pending-page.js';
import { AutomationForm } from './automation-form.js';
import { Runs } from './runs.js';

const words = text.automations;
const EMPTY: AutomationDraft = { name: '', keyword: '', cooldownSeconds: 60, isActive: true, steps: [] };

/** One automation with its runs, or, at the address `new`, the form that makes one. */
export function AutomationPage() {
  const accountId = useAccountId();
  const { automationId = '' } = useParams({ strict: false });
  return (
    <OfWhatsapp title={words.automationTitle} sms>
      {(channelId) =>
        automationId === 'new' ? (
          <NewAutomation of={{ accountId, channelId }} />
        ) : (
          <AutomationView key={automationId} of={{ accountId, channelId }} id={automationId} />
        )
      }
    </OfWhatsapp>
  );
}

function Back({ of }: { of: OfChannel }) {
  return (
    <TextLink to="/a/$accountId/automations" params={{ accountId: of.accountId }} search={{ channel: of.channelId }}>
      {words.back}
    </TextLink>
  );
}

function NewAutomation({ of }: { of: OfChannel }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const create = async (draft: AutomationDraft) => {
    const { id } = await createAutomation(of, draft);
    await client.invalidateQueries({ queryKey: automationsKey(of) });
    notify(words.made);
    await navigate({
      to: '/a/$accountId/automations/$automationId',
      params: { accountId: of.accountId, automationId: id },
      search: { channel: of.channelId },
    });
  };
  return (
    <Page title={words.create} back={<Back of={of} />} narrow>
      <AutomationForm of={of} initial={EMPTY} submit={words.createSubmit} onSubmit={create} />
    </Page>
  );
}

function AutomationView({ of, id }: { of: OfChannel; id: string }) {
  const navigate = useNavigate();
  const removal = useRemoval();
  const mayChange = useCan('developer');
  const { data: automation, error, refetch } = useQuery(automationQuery(of, id));
  const back = <Back of={of} />;
  if (!automation) {
    return <PendingPage title={words.automationTitle} back={back} error={error} onRetry={() => void refetch()} />;
  }
  const remove = () =>
    removal({
      queryKey: automationQuery(of, id).queryKey,
      remove: () => deleteAutomation(of, id),
      leave: () =>
        navigate({
          to: '/a/$accountId/automations',
          params: { accountId: of.accountId },
          search: { channel: of.channelId },
        }),
      listsKey: automationsKey(of),
    });
  return (
    <Page
      title={automation.name}
      back={back}
      narrow
      actions={mayChange && <DeleteButton name={automation.name} words={words} onDelete={remove} />}
    >
      <Settings key={id} of={of} automation={automation} />
      <Runs of={of} automation={automation} />
    </Page>
  );
}

function Settings({ of, automation }: { of: OfChannel; automation: Automation }) {
  const client = useQueryClient();
  const mayChange = useCan('developer');
  const readAgain = () => client.invalidateQueries({ queryKey: automationsKey(of) });
  const opened = useOpened(automation, readAgain);
  const save = (draft: AutomationDraft) =>
    opened.save(async (before) => {
      const changed = await updateAutomation(of, before, draft);
      client.setQueryData(automationQuery(of, before.id).queryKey, changed);
      await readAgain();
      notify(words.saved);
      return changed;
    });
  return (
    <>
      {opened.notice}
      <AutomationForm
        key={opened.round}
        of={of}
        initial={draftOf(opened.thing)}
        submit={text.common.save}
        readOnly={!mayChange}
        onTouched={opened.onTouched}
        onSubmit={save}
      />
    </>
  );
}

function draftOf({ name, keyword, cooldownSeconds, isActive, steps }: Automation): AutomationDraft {
  return { name, keyword: keyword ?? '', cooldownSeconds, isActive, steps: steps as AutomationDraft['steps'] };
}
