import { expect, it } from 'vitest';
import { shiftPoint, toDateText, toNumberText, unitOf } from './written-values.ts';

it.each([
  ['25,00 kr', ',', 'kr', '25.00'],
  ['kr 25,00', ',', 'kr', '25.00'],
  ['1.234,50 €', ',', '€', '1234.50'],
  ['1 234 567,5', ',', '', '1234567.5'],
  ["1'234.5", '.', '', '1234.5'],
  ['1,234.5', '.', '', '1234.5'],
  ['−3,5', ',', '', '-3.5'],
  ['+7', ',', '', '7'],
  ['0,10', ',', '', '0.10'],
  ['12', ',', 'kr', '12'],
  ['1,500', ',', '', '1.500'],
  ['1,500', '.', '', '1500'],
  ['12345678901234567890,1', ',', '', '12345678901234567890.1'],
] as const)('%s with %s and the unit %j is %s', (text, decimal, unit, number) => {
  expect(toNumberText(text, { decimal, unit })).toBe(number);
});

it.each([
  ['25,00', '.', ''],
  ['25.00', ',', ''],
  ['25,00 kr', ',', ''],
  ['25,00 USD', ',', 'kr'],
  ['1,23,456.0', '.', ''],
  ['007', '.', ''],
  ['25-11', '.', ''],
  ['5 6', '.', ''],
  ['1e5', '.', ''],
  ['', '.', ''],
  ['kr', '.', 'kr'],
] as const)('%s with %s and the unit %j is no number', (text, decimal, unit) => {
  expect(toNumberText(text, { decimal, unit })).toBeUndefined();
});

it.each([
  ['25,00 kr', 'kr'],
  ['$ 1,000', '$'],
  ['21.5', ''],
  ['21.5 °C', '°C'],
  ['warm', undefined],
  ['2 kg 3 g', undefined],
  ['kr 3 g', undefined],
])('the unit of %s is %s', (text, unit) => {
  expect(unitOf(text)).toBe(unit);
});

it.each([
  ['25.11.2026', 'dmy', '2026-11-25'],
  ['25. 11. 2026', 'dmy', '2026-11-25'],
  ['3/4/2026', 'dmy', '2026-04-03'],
  ['3/4/2026', 'mdy', '2026-03-04'],
  ['2026/11/25', 'ymd', '2026-11-25'],
  ['29.02.2028', 'dmy', '2028-02-29'],
  ['29.02.2026', 'dmy', undefined],
  ['11/25/2026', 'dmy', undefined],
  ['25.11.26', 'dmy', undefined],
  ['25.11/2026', 'dmy', undefined],
  ['tomorrow', 'dmy', undefined],
] as const)('%s as %s is %s', (text, order, date) => {
  expect(toDateText(text, order)).toBe(date);
});

it.each([
  ['2150', 2, '21.5'],
  ['5', 3, '0.005'],
  ['-2000', 3, '-2'],
  ['12.34', 1, '1.234'],
  ['0', 2, '0'],
  ['9007199254740993', 3, '9007199254740.993'],
  ['1e5', 2, undefined],
])('%s with its point moved by %d is %s', (literal, places, shifted) => {
  expect(shiftPoint(literal, places)).toBe(shifted);
});
