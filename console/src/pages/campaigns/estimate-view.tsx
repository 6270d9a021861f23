import { Alert, Blockquote, Text } from '@mantine/core';
import type { CampaignEstimate } from '../../api/campaigns.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { Section } from '../../ui/layout/section.js';
import { type Column, DataTable } from '../../ui/tables/data-table.js';
import { formatMoney, formatNumber, Money } from '../../ui/values/numbers.js';
import { personText } from '../../ui/values/phone.js';

const words = text.campaigns;

export function EstimateView({ estimate }: { estimate: CampaignEstimate }) {
  const { members, passedOver, refused, optedOut, messages, countries, total, balance, currency, sample } = estimate;
  const shortfall = total - balance;
  const columns: Column<CampaignEstimate['countries'][number]>[] = [
    { key: 'country', header: words.country, bare: true, render: ({ callingCode }) => `+${callingCode}` },
    { key: 'messages', header: words.messages, align: 'right', render: (row) => formatNumber(row.messages) },
    {
      key: 'price',
      header: words.price,
      align: 'right',
      render: (row) => <Money amount={row.price} {...{ currency }} />,
    },
    {
      key: 'total',
      header: words.total,
      align: 'right',
      render: (row) => <Money amount={row.total} {...{ currency }} />,
    },
  ];
  return (
    <Section title={words.stepCheck}>
      <Text fw={650} size="lg" role="status">
        {words.estimate(formatNumber(messages), formatMoney(total, currency))}
      </Text>
      <Text size="sm" c="dimmed">
        {words.estimateMembers(formatNumber(members), formatNumber(optedOut), formatNumber(passedOver))}
        {refused > 0 && ` ${words.estimateRefused(formatNumber(refused))}`}
      </Text>
      {shortfall > 0 ? (
        <Alert color="red" variant="light" icon={<Icon name="warning" />} title={words.balanceTooLow}>
          {words.balanceTooLowHint(formatMoney(balance, currency), formatMoney(Number(shortfall.toFixed(6)), currency))}
        </Alert>
      ) : (
        <Text size="sm">
          {words.remainingBalance(
            formatMoney(balance, currency),
            formatMoney(Number((-shortfall).toFixed(6)), currency),
          )}
        </Text>
      )}
      {countries.length > 0 && (
        <DataTable caption={words.byCountry} columns={columns} rows={countries} rowKey={(row) => row.callingCode} />
      )}
      {sample && (
        <div>
          <Text size="sm" c="dimmed">
            {words.sample(sample.name || personText(sample))}
          </Text>
          <Blockquote p="sm" mt={4} radius="md" color="gray">
            <span style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{sample.body}</span>
          </Blockquote>
        </div>
      )}
    </Section>
  );
}
