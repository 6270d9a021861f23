import { Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ratesQuery } from '../../api/installation/rates.js';
import { useSearchParams } from '../../browser/search.js';
import { useCan } from '../../session/session.js';
import { text } from '../../text/en.js';
import { useAddDialog } from '../../ui/basics/use-add-dialog.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { LoadingState } from '../../ui/feedback/loading-state.js';
import { Page } from '../../ui/layout/page.js';
import { RateCardSection } from './rate-card-section.js';
import { NewRateCardDialog } from './rate-forms.js';

const words = text.rates;

export function RatesPage() {
  const { data: cards, error, refetch } = useQuery(ratesQuery);
  const canChange = useCan('owner', 'installation');
  const [params, setParams] = useSearchParams();
  const code = (params.code ?? '').replace(/\D/g, '');
  const { add, dialog } = useAddDialog(words.add, canChange, (onClose) => <NewRateCardDialog onClose={onClose} />);
  return (
    <Page title={words.title} lead={words.lead} actions={add}>
      <TextInput
        label={words.find}
        maw={260}
        inputMode="numeric"
        value={params.code ?? ''}
        onChange={(event) => setParams({ code: event.currentTarget.value }, { replace: true })}
      />
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!cards && !error && <LoadingState lines={6} />}
      <Stack>
        {cards?.map((card) => (
          <RateCardSection key={card.id} card={card} code={code} canChange={canChange} />
        ))}
      </Stack>
      {dialog}
    </Page>
  );
}
