/** So many of the items at most, drawn at random; all in their order if there are no more. */
export function drawSome<Item>(items: readonly Item[], most: number, random: () => number = Math.random): Item[] {
  const left = [...items];
  if (left.length <= most) return left;
  for (let i = 0; i < most; i++) {
    const chosen = i + Math.floor(random() * (left.length - i));
    const item = left[chosen] as Item;
    left[chosen] = left[i] as Item;
    left[i] = item;
  }
  return left.slice(0, most);
}
