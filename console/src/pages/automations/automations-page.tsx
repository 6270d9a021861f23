import { Switch } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type Automation, automationsKey, updateAutomation } from '../../api/automations.js';
import type { ChannelRef } from '../../api/channel-ref.js';
import { useKeyPages } from '../../api/client/key-pages.js';
import { useAccountId, useCan } from '../../session/session.js';
import { WhatsappOnly } from '../../shared/whatsapp-only.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { ButtonLink, TextLink } from '../../ui/basics/links.js';
import { EmptyState } from '../../ui/feedback/empty-state.js';
import { notifyError } from '../../ui/feedback/notices.js';
import { Page } from '../../ui/layout/page.js';
import { type Column, DataTable } from '../../ui/tables/data-table.js';
import { TimeText } from '../../ui/values/time-text.js';

const words = text.automations;

export function AutomationsPage() {
  const accountId = useAccountId();
  const mayCreate = useCan('developer');
  return (
    <WhatsappOnly title={words.title} sms>
      {(channelId) => (
        <Page
          title={words.title}
          lead={words.lead}
          actions={mayCreate && <NewLink channelRef={{ accountId, channelId }} />}
        >
          <AutomationList channelRef={{ accountId, channelId }} />
        </Page>
      )}
    </WhatsappOnly>
  );
}

function NewLink({ channelRef }: { channelRef: ChannelRef }) {
  return (
    <ButtonLink
      to="/a/$accountId/automations/$automationId"
      params={{ accountId: channelRef.accountId, automationId: 'new' }}
      search={{ channel: channelRef.channelId }}
      leftSection={<Icon name="plus" size={16} />}
    >
      {words.create}
    </ButtonLink>
  );
}

function AutomationList({ channelRef }: { channelRef: ChannelRef }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const mayChange = useCan('developer');
  const pages = useKeyPages({
    queryKey: automationsKey(channelRef),
    endpoint: 'GET /accounts/:accountId/channels/:channelId/automations',
    params: channelRef,
  });
  const toAutomation = ({ id }: Automation) => ({
    to: '/a/$accountId/automations/$automationId' as const,
    params: { accountId: channelRef.accountId, automationId: id },
    search: { channel: channelRef.channelId },
  });
  const setActive = async (automation: Automation, isActive: boolean) => {
    await updateAutomation(channelRef, automation, { isActive });
    await client.invalidateQueries({ queryKey: automationsKey(channelRef) });
  };
  const columns: Column<Automation>[] = [
    {
      key: 'name',
      header: words.name,
      bare: true,
      render: (automation) => <TextLink {...toAutomation(automation)}>{automation.name}</TextLink>,
    },
    { key: 'keyword', header: words.keyword, render: ({ keyword }) => keyword ?? words.noKeyword },
    { key: 'steps', header: words.steps, align: 'right', render: ({ steps }) => steps.length },
    {
      key: 'active',
      header: words.active,
      render: (automation) => (
        <Switch
          aria-label={words.activeOf(automation.name)}
          checked={automation.isActive}
          disabled={!mayChange}
          onChange={(event) => void setActive(automation, event.currentTarget.checked).catch(notifyError)}
        />
      ),
    },
    { key: 'changed', header: words.changed, nowrap: true, render: ({ updatedAt }) => <TimeText value={updatedAt} /> },
  ];
  return (
    <DataTable
      caption={words.title}
      columns={columns}
      pages={pages}
      onOpen={(automation) => void navigate(toAutomation(automation))}
      empty={
        <EmptyState
          icon="flow"
          title={words.none}
          hint={words.noneHint}
          action={mayChange && <NewLink channelRef={channelRef} />}
        />
      }
    />
  );
}
