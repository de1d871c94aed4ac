/** 0x0b to 0x11: BLS12-381 (EIP-2537), from Prague on. */
import { bls } from "../../evm-crypto.ts";
import { attempt, type Precompile } from "./precompile.ts";

/** A field element is 48 bytes in 64: the first 16 are zeros. */
const ELEMENT_BYTES = 64;
const ELEMENT_PADDING = 16;
const G1_BYTES = 128;
const G2_BYTES = 256;
const SCALAR_BYTES = 32;

/** Discounts for many multiplications at once, in thousandths, from one on (EIP-2537's tables). */
const G1_DISCOUNTS: readonly number[] = tableOf(
  "1000 949 848 797 764 750 738 728 719 712 705 698 692 687 682 677 673 669 665 661 658 654 651 648 645 642 " +
    "640 637 635 632 630 627 625 623 621 619 617 615 613 611 609 608 606 604 603 601 599 598 596 595 593 592 " +
    "591 589 588 586 585 584 582 581 580 579 577 576 575 574 573 572 570 569 568 567 566 565 564 563 562 561 " +
    "560 559 558 557 556 555 554 553 552 551 550 549 548 547 547 546 545 544 543 542 541 540 540 539 538 537 " +
    "536 536 535 534 533 532 532 531 530 529 528 528 527 526 525 525 524 523 522 522 521 520 520 519",
);
const G2_DISCOUNTS: readonly number[] = tableOf(
  "1000 1000 923 884 855 832 812 796 782 770 759 749 740 732 724 717 711 704 699 693 688 683 679 674 670 " +
    "666 663 659 655 652 649 646 643 640 637 634 632 629 627 624 622 620 618 615 613 611 609 607 606 604 602 " +
    "600 598 597 595 593 592 590 589 587 586 584 583 582 580 579 578 576 575 574 573 571 570 569 568 567 566 " +
    "565 563 562 561 560 559 558 557 556 555 554 553 552 552 551 550 549 548 547 546 545 545 544 543 542 541 " +
    "541 540 539 538 537 537 536 535 535 534 533 532 532 531 530 530 529 528 528 527 526 526 525 524 524",
);

function tableOf(text: string): readonly number[] {
  return text.split(" ").map(Number);
}

function multiplicationGas(count: number, price: number, discounts: readonly number[]): number {
  if (count === 0) return 0;
  const discount = discounts[Math.min(count, discounts.length) - 1] as number;
  return Math.floor((count * price * discount) / 1_000);
}

/** Whether each item of `stride` bytes begins with `elements` field elements that are padded as they must be. */
function arePadded(input: Uint8Array, stride: number, elements: number): boolean {
  for (let start = 0; start < input.length; start += stride) {
    for (let element = 0; element < elements; element++) {
      const at = start + element * ELEMENT_BYTES;
      for (let i = at; i < at + ELEMENT_PADDING; i++) if (input[i] !== 0) return false;
    }
  }
  return true;
}

/** A function of one input of a fixed length, which is all field elements. */
function fixed(gas: number, length: number, compute: (input: Uint8Array) => Uint8Array): Precompile {
  return {
    gas: () => gas,
    run: (input) => {
      if (input.length !== length || !arePadded(input, length, length / ELEMENT_BYTES)) return undefined;
      return attempt(() => compute(input.slice()));
    },
  };
}

/** A function of one item or more, each of them points and then perhaps a scalar. */
function repeated(
  gas: (count: number) => number,
  pointBytes: number,
  scalarBytes: number,
  compute: (input: Uint8Array) => Uint8Array,
): Precompile {
  const stride = pointBytes + scalarBytes;
  return {
    gas: (input) => gas(Math.floor(input.length / stride)),
    run: (input) => {
      if (input.length === 0 || input.length % stride !== 0) return undefined;
      if (!arePadded(input, stride, pointBytes / ELEMENT_BYTES)) return undefined;
      return attempt(() => compute(input.slice()));
    },
  };
}

export const g1Add: Precompile = fixed(375, 2 * G1_BYTES, (input) => bls.addG1(input));
export const g2Add: Precompile = fixed(600, 2 * G2_BYTES, (input) => bls.addG2(input));
export const mapToG1: Precompile = fixed(5_500, ELEMENT_BYTES, (input) => bls.mapFPtoG1(input));
export const mapToG2: Precompile = fixed(23_800, 2 * ELEMENT_BYTES, (input) => bls.mapFP2toG2(input));

export const g1Multiply: Precompile = repeated(
  (count) => multiplicationGas(count, 12_000, G1_DISCOUNTS),
  G1_BYTES,
  SCALAR_BYTES,
  (input) => bls.msmG1(input),
);

export const g2Multiply: Precompile = repeated(
  (count) => multiplicationGas(count, 22_500, G2_DISCOUNTS),
  G2_BYTES,
  SCALAR_BYTES,
  (input) => bls.msmG2(input),
);

export const blsPairing: Precompile = repeated(
  (count) => 37_700 + 32_600 * count,
  G1_BYTES + G2_BYTES,
  0,
  (input) => bls.pairingCheck(input),
);
