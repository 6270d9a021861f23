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
  const {
    members,
    passedOver,
    refused,
    optedOut,
    messages,
    countries,
    total,
    balance,
    currency,
    sample,
    sms,
    mostExpensive,
  } = estimate;
  const shortfall = total - balance;
  const columns: Column<CampaignEstimate['countries'][number]>[] = [
    { key: 'country', header: words.country, bare: true, render: ({ callingCode }) => `+${callingCode}` },
    { key: 'messages', header: words.messages, align: 'right', render: (row) => formatNumber(row.messages) },
    ...(sms
      ? [
          {
            key: 'segments',
            header: words.segments,
            align: 'right' as const,
            render: (row: CampaignEstimate['countries'][number]) => formatNumber(row.segments),
          },
        ]
      : []),
    {
      key: 'price',
      header: sms ? words.segmentPrice : words.price,
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
      {sms && (
        <Text size="sm">
          {words.estimateSegments(formatNumber(sms.segments), formatNumber(sms.gsm7), formatNumber(sms.ucs2))}
        </Text>
      )}
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
      {sample && <Message title={words.sample(sample.name || personText(sample))} body={sample.body} />}
      {mostExpensive && mostExpensive.segments > 1 && (
        <Message
          title={words.mostExpensive(
            mostExpensive.name || personText(mostExpensive),
            formatMoney(mostExpensive.price, currency),
            words.segmentCount(mostExpensive.segments, mostExpensive.encoding === 'ucs2' ? 'UCS-2' : 'GSM'),
          )}
          body={mostExpensive.body}
        />
      )}
    </Section>
  );
}

function Message({ title, body }: { title: string; body: string }) {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      <Blockquote p="sm" mt={4} radius="md" color="gray">
        <span style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{body}</span>
      </Blockquote>
    </div>
  );
}
