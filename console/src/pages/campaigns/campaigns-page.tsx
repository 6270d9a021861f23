import { Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type Campaign, campaignsKey } from '../../api/campaigns.js';
import type { ChannelRef } from '../../api/channel-ref.js';
import { useKeyPages } from '../../api/client/key-pages.js';
import { useSearchParams } from '../../browser/search.js';
import { useAccountId, useCan } from '../../session/session.js';
import { WhatsappOnly } from '../../shared/whatsapp-only.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { ButtonLink, TextLink } from '../../ui/basics/links.js';
import { EmptyState } from '../../ui/feedback/empty-state.js';
import { StatusFilter } from '../../ui/forms/status-filter.js';
import { Page } from '../../ui/layout/page.js';
import { type Column, DataTable, nameColumn } from '../../ui/tables/data-table.js';
import { formatNumber } from '../../ui/values/numbers.js';
import { StatusBadge } from '../../ui/values/status-badge.js';
import { TimeText } from '../../ui/values/time-text.js';
import { formatRecipients } from './recipients-text.js';

const words = text.campaigns;
const STATES = ['scheduled', 'running', 'paused', 'completed', 'canceled', 'failed'] as const;

export function CampaignsPage() {
  const accountId = useAccountId();
  const mayCreate = useCan('developer');
  return (
    <WhatsappOnly sms title={words.title}>
      {(channelId) => (
        <Page
          title={words.title}
          lead={words.lead}
          actions={mayCreate && <NewLink accountId={accountId} channelId={channelId} />}
        >
          <CampaignList accountId={accountId} channelId={channelId} />
        </Page>
      )}
    </WhatsappOnly>
  );
}

function NewLink({ accountId, channelId }: ChannelRef) {
  return (
    <ButtonLink
      to="/a/$accountId/campaigns/$campaignId"
      params={{ accountId, campaignId: 'new' }}
      search={{ channel: channelId }}
      leftSection={<Icon name="plus" size={16} />}
    >
      {words.create}
    </ButtonLink>
  );
}

function CampaignList(channelRef: ChannelRef) {
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const mayCreate = useCan('developer');
  const pages = useKeyPages({
    queryKey: campaignsKey(channelRef),
    endpoint: 'GET /accounts/:accountId/channels/:channelId/campaigns',
    params: channelRef,
    query: { status: params.status },
  });
  const toCampaign = ({ id }: Campaign) => ({
    to: '/a/$accountId/campaigns/$campaignId' as const,
    params: { accountId: channelRef.accountId, campaignId: id },
    search: { channel: channelRef.channelId },
  });
  const columns: Column<Campaign>[] = [
    nameColumn(words.name, (campaign) => <TextLink {...toCampaign(campaign)}>{campaign.name}</TextLink>),
    { key: 'status', header: words.status, render: ({ status }) => <StatusBadge status={status} /> },
    {
      key: 'template',
      header: words.message,
      breaks: true,
      render: ({ templateName, text: smsText }) =>
        smsText === null ? templateName : <Text lineClamp={2}>{smsText}</Text>,
    },
    { key: 'group', header: words.recipients, render: formatRecipients },
    {
      key: 'messages',
      header: words.messages,
      align: 'right',
      nowrap: true,
      render: ({ messageCount, leftCount, recipientCount }) =>
        leftCount === 0
          ? formatNumber(messageCount)
          : words.countOfTotal(formatNumber(messageCount), formatNumber(recipientCount)),
    },
    {
      key: 'delivered',
      header: words.delivered,
      align: 'right',
      nowrap: true,
      render: ({ counts }) => formatNumber((counts.delivered ?? 0) + (counts.read ?? 0)),
    },
    {
      key: 'begins',
      header: words.startTime,
      nowrap: true,
      render: ({ startedAt, scheduledAt, createdAt }) => <TimeText value={startedAt ?? scheduledAt ?? createdAt} />,
    },
  ];
  return (
    <>
      <StatusFilter label={words.status} allLabel={words.all} statuses={STATES} />
      <DataTable
        caption={words.title}
        columns={columns}
        pages={pages}
        onOpen={(campaign) => void navigate(toCampaign(campaign))}
        empty={
          <EmptyState
            icon="megaphone"
            title={params.status ? words.noneOfStatus : words.none}
            hint={words.noneHint}
            action={mayCreate && !params.status && <NewLink {...channelRef} />}
          />
        }
      />
    </>
  );
}
