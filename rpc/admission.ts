/**
 * Counts the requests under way in the whole process and what they hold in memory, and admits no more than it has room for.
 * One address gets a part of it: or else three bodies that are announced and never sent would keep everybody else out. A part
 * is for small requests alone: or else those of a few addresses, and answers that a few read byte by byte, would do so.
 */
import { isLoopback } from "./addresses.ts";
import {
  ANSWER_WEIGHT,
  BODY_WEIGHT,
  BYTES_SHARE,
  LARGE_SHARE,
  REQUESTS_SHARE,
  type RpcLimits,
  SMALL_REQUEST_BYTES,
} from "./limits.ts";

/** One request that counts until it is ended. */
export interface Ticket {
  /** Keeps room for so much answer. False: there is none. */
  hold(answerBytes: number): boolean;
  /** Nobody works on it any more, and its answer is sent or nobody waits for it. */
  end(): void;
}

/** What one address has under way. */
interface Share {
  requests: number;
  bytes: number;
}

export class Admission {
  private readonly maxRequests: number;
  private readonly maxBytes: number;
  private requests = 0;
  private bytes = 0;
  private readonly shares = new Map<string, Share>();

  constructor({ requestsUnderWay, bytesUnderWay }: Pick<RpcLimits, "requestsUnderWay" | "bytesUnderWay">) {
    this.maxRequests = requestsUnderWay;
    this.maxBytes = bytesUnderWay;
  }

  /** Requests under way. */
  get size(): number {
    return this.requests;
  }

  /** `undefined`: there is no room. */
  admit(bodyBytes: number, address = "local"): Ticket | undefined {
    let own = BODY_WEIGHT * bodyBytes;
    if (this.requests >= this.maxRequests || !this.hasRoom(own, own, this.requests)) return undefined;
    const share = this.shares.get(address) ?? { requests: 0, bytes: 0 };
    const isOurs = isLoopback(address);
    if (!isOurs && !this.mayHave(share, own)) return undefined;
    this.shares.set(address, share);
    this.requests++;
    share.requests++;
    this.add(share, own);
    let isEnded = false;
    return {
      hold: (answerBytes) => {
        const more = ANSWER_WEIGHT * answerBytes;
        if (isEnded || !this.hasRoom(more, own + more, this.requests - 1)) return false;
        // One alone may have as much as there is.
        const isAlone = isOurs || share.bytes === own;
        if (!isAlone && share.bytes + more > BYTES_SHARE * this.maxBytes) return false;
        own += more;
        this.add(share, more);
        return true;
      },
      end: () => {
        if (isEnded) return;
        isEnded = true;
        this.requests--;
        this.add(share, -own);
        if (--share.requests === 0) this.shares.delete(address);
      },
    };
  }

  /** For so much more of a request that holds so much with it, besides so many others. */
  private hasRoom(more: number, whole: number, others: number): boolean {
    const isLarge = whole > SMALL_REQUEST_BYTES && others > 0;
    return this.bytes + more <= (isLarge ? LARGE_SHARE : 1) * this.maxBytes;
  }

  private mayHave({ requests, bytes }: Share, more: number): boolean {
    if (requests === 0) return true;
    return requests + 1 <= REQUESTS_SHARE * this.maxRequests && bytes + more <= BYTES_SHARE * this.maxBytes;
  }

  private add(share: Share, bytes: number): void {
    this.bytes += bytes;
    share.bytes += bytes;
  }
}
