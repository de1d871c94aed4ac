/**
 * The upgrades that this program knows: it goes on at their heights, and stops before that of any other. Whoever adds
 * rules that begin with an upgrade adds its name here, once and for all, and asks `isUpgradeActive` where they begin.
 */
export const KNOWN_UPGRADES: readonly string[] = [];
