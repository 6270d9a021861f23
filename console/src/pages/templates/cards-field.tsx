import { Button, Fieldset, Group, Select, Stack, Text, Textarea } from '@mantine/core';
import type { ChannelRef } from '../../api/channel-ref.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { ProblemText } from '../../ui/forms/problem-text.js';
import { ButtonsField } from './buttons-field.js';
import { type CardFields, type DraftFields, newButton, newCard } from './draft-fields.js';
import { ExampleField } from './example-field.js';
import { ListEnd } from './list-end.js';

const MAX_CARDS = 10;
const FORMATS = ['IMAGE', 'VIDEO', 'PRODUCT'] as const;
const words = text.templates;

interface CardsFieldProps {
  channelRef: ChannelRef;
  fields: DraftFields;
  set(changes: Partial<DraftFields>): void;
  /** @param path path below the cards: empty, or for example `[0].components[1].text` */
  getProblem(path: string): string | undefined;
  onFieldBlur(path: string): void;
  onPicture(slot: string, picture: string | null): void;
}

export function CardsField({ channelRef, fields, set, getProblem, onFieldBlur, onPicture }: CardsFieldProps) {
  const { cards, cardFormat } = fields;
  const isOfProducts = cardFormat === 'PRODUCT';
  const change = (key: number, changes: Partial<CardFields>) =>
    set({ cards: cards.map((card) => (card.key === key ? { ...card, ...changes } : card)) });
  const chooseFormat = (format: string) => {
    // If the card format is changed from or to products, all buttons are replaced, because product cards need a special button
    // type.
    const buttons = () => [newButton(format === 'PRODUCT' ? { type: 'SPM' } : {})];
    const resetsButtons = (format === 'PRODUCT') !== isOfProducts;
    set({
      cardFormat: format,
      cards: cards.map((card) => ({ ...card, example: '', ...(resetsButtons && { buttons: buttons() }) })),
    });
  };
  return (
    <Fieldset legend={words.cards}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {words.cardsHint}
        </Text>
        <Select
          label={words.cardFormat}
          allowDeselect={false}
          data={FORMATS.map((value) => ({ value, label: words.formats[value] }))}
          value={cardFormat}
          onChange={(value) => value && chooseFormat(value)}
        />
        {cards.map((card, index) => {
          const cardPath = `[${index}].components`;
          const buttonsPath = `${cardPath}[${card.body === '' ? 1 : 2}].buttons`;
          return (
            <Fieldset key={card.key} legend={words.cardNo(index + 1)}>
              <Stack gap="sm">
                {!isOfProducts && (
                  <ExampleField
                    channelRef={channelRef}
                    label={words.exampleFile(words.formats[cardFormat as 'IMAGE'] ?? cardFormat)}
                    format={cardFormat}
                    value={card.example}
                    error={getProblem(`${cardPath}[0].example`) ?? getProblem(`${cardPath}[0].example.header_handle`)}
                    onFieldBlur={() => onFieldBlur(`${cardPath}[0].example`)}
                    onChange={(example, picture) => {
                      change(card.key, { example });
                      onPicture(`card${index}.header`, picture);
                    }}
                  />
                )}
                <Textarea
                  label={words.cardBody}
                  description={words.cardBodyHint}
                  autosize
                  minRows={2}
                  value={card.body}
                  error={getProblem(`${cardPath}[1].text`)}
                  onBlur={() => onFieldBlur(`${cardPath}[1].text`)}
                  onChange={({ currentTarget: { value } }) => change(card.key, { body: value })}
                />
                <ButtonsField
                  legend={words.buttonsOfCard(index + 1)}
                  card={index + 1}
                  hint={words.buttonsOfCardHint}
                  types={isOfProducts ? ['SPM', 'URL'] : ['QUICK_REPLY', 'URL', 'PHONE_NUMBER']}
                  max={2}
                  buttons={card.buttons}
                  onChange={(buttons) => change(card.key, { buttons })}
                  getProblem={(path) => getProblem(`${buttonsPath}${path}`)}
                  onFieldBlur={(path) => onFieldBlur(`${buttonsPath}${path}`)}
                />
                <ProblemText>{getProblem(cardPath)}</ProblemText>
                <Group justify="flex-end">
                  <Button
                    size="xs"
                    variant="default"
                    leftSection={<Icon name="trash" size={14} />}
                    onClick={() => set({ cards: cards.filter(({ key }) => key !== card.key) })}
                  >
                    {words.removeCard(index + 1)}
                  </Button>
                </Group>
              </Stack>
            </Fieldset>
          );
        })}
        <ListEnd
          problem={getProblem('')}
          add={words.addCard}
          onAdd={cards.length < MAX_CARDS ? () => set({ cards: [...cards, copyLastCard(cards)] }) : undefined}
        />
      </Stack>
    </Fieldset>
  );
}

/** Copies the buttons of the last card, because Meta requires all cards to have the same buttons. */
export function copyLastCard(cards: readonly CardFields[]): CardFields {
  const buttons = cards.at(-1)?.buttons ?? [newButton()];
  return newCard({ buttons: buttons.map(({ type, text, url, phone }) => newButton({ type, text, url, phone })) });
}
