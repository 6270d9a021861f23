import { Text } from '@mantine/core';
import type { Campaign, CampaignResults } from '../../api/campaigns.js';
import { text } from '../../text/en.js';
import { Section } from '../../ui/layout/section.js';
import { type Column, DataTable } from '../../ui/tables/data-table.js';
import { formatNumber, formatShare, Money } from '../../ui/values/numbers.js';
import { TimeText } from '../../ui/values/time-text.js';

const words = text.campaignVariants;
const resultWords = text.campaignResults;

type VariantRow = CampaignResults['byVariant'][number];

export function VariantResults({ campaign, results }: { campaign: Campaign; results: CampaignResults }) {
  const { byVariant, currency } = results;
  const count = (key: 'delivered' | 'read' | 'replied' | 'optedOut'): Column<VariantRow> => ({
    key,
    header: resultWords.steps[key],
    align: 'right',
    render: (row) =>
      row.messages === 0 ? formatNumber(0) : `${formatNumber(row[key])} (${formatShare(row[key] / row.messages)})`,
  });
  const columns: Column<VariantRow>[] = [
    {
      key: 'variant',
      header: words.name,
      bare: true,
      breaks: true,
      render: ({ variant }) => {
        const template = campaign.variants.find((each) => each.variant === variant);
        return `${words.variant(variant)}: ${template?.templateName ?? template?.text ?? ''}`;
      },
    },
    { key: 'messages', header: words.messages, align: 'right', render: ({ messages }) => formatNumber(messages) },
    count('delivered'),
    count('read'),
    count('replied'),
    count('optedOut'),
    {
      key: 'cost',
      header: resultWords.cost,
      align: 'right',
      render: ({ cost }) => <Money amount={cost.total} currency={currency} />,
    },
  ];
  return (
    <Section title={words.results}>
      <TestState campaign={campaign} />
      <DataTable caption={words.results} columns={columns} rows={byVariant} rowKey={({ variant }) => variant} />
    </Section>
  );
}

function TestState({ campaign: { test, testEndsAt, winner, winnerReason } }: { campaign: Campaign }) {
  if (!test) return null;
  if (winner && winnerReason) {
    return (
      <Text size="sm" role="status">
        {words.reasons[winnerReason](winner, words.criteria[test.criterion])} {words.winner(winner)}
      </Text>
    );
  }
  return (
    <Text size="sm" role="status">
      {testEndsAt ? (
        <>
          {words.testEnds} <TimeText value={testEndsAt} />.
        </>
      ) : (
        words.testRunning(formatNumber(test.share))
      )}
    </Text>
  );
}
