import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { type Price, type RateCard, removePrice } from '../../api/installation/rates.js';
import { text } from '../../text/en.js';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.js';
import { EmptyState } from '../../ui/feedback/empty-state.js';
import { notify } from '../../ui/feedback/notices.js';
import { Section } from '../../ui/layout/section.js';
import { type Column, DataTable } from '../../ui/tables/data-table.js';
import { formatNumber, Money } from '../../ui/values/numbers.js';
import { PriceDialog } from './rate-forms.js';

const words = text.rates;

interface RateCardSectionProps {
  card: RateCard;
  /** Calling code prefix by which prices are filtered. */
  code: string;
  canChange: boolean;
}

export function RateCardSection({ card, code, canChange }: RateCardSectionProps) {
  const [edited, setEdited] = useState<Price | 'new' | null>(null);
  const prices = card.prices.filter(({ callingCode }) => callingCode === null || callingCode.startsWith(code));
  const columns: readonly Column<Price>[] = [
    { key: 'where', header: words.destination, render: describeDestination, bare: true },
    { key: 'kind', header: words.kind, render: ({ kind }) => words.kinds[kind] },
    {
      key: 'price',
      header: words.price,
      align: 'right',
      nowrap: true,
      render: ({ price }) => <Money amount={price} currency={card.currency} />,
    },
  ];
  const actions: Column<Price> = {
    key: 'actions',
    header: words.actions,
    align: 'right',
    bare: true,
    render: (price) => <PriceActions card={card} price={price} onChange={() => setEdited(price)} />,
  };
  const add = (
    <Button variant="default" size="xs" onClick={() => setEdited('new')}>
      {words.priceTo}
    </Button>
  );
  const lead = `${card.currency} · ${words.accounts(formatNumber(card.accountCount), card.accountCount === 1)}`;
  return (
    <Section title={words.card(card.id)} lead={lead} actions={canChange && add}>
      <DataTable
        caption={words.pricesOf(card.id)}
        columns={canChange ? [...columns, actions] : columns}
        rows={prices}
        rowKey={({ kind, callingCode }) => `${kind}:${callingCode ?? ''}`}
        empty={<EmptyState icon="coins" title={words.none} hint={words.noneHint} />}
      />
      {edited && <PriceDialog card={card} price={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
    </Section>
  );
}

function describeDestination({ callingCode }: Price): string {
  return callingCode === null ? words.defaultPrice : `+${callingCode}`;
}

function PriceActions({ card, price, onChange }: { card: RateCard; price: Price; onChange(): void }) {
  const kind = words.kinds[price.kind];
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <Button
        variant="default"
        size="xs"
        onClick={onChange}
        aria-label={`${words.change}: ${kind}, ${describeDestination(price)}, ${card.id}`}
      >
        {words.change}
      </Button>
      {price.callingCode !== null && (
        <ConfirmButton
          size="xs"
          {...words.removeQuestion(kind, price.callingCode)}
          onConfirm={async () => {
            await removePrice(card.id, price);
            notify(words.removed);
          }}
        >
          {words.remove}
        </ConfirmButton>
      )}
    </Group>
  );
}
