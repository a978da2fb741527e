// Names of games, options, cards, plays and events, in English and Chinese.

import { lang } from "./words.js";

const at = (both, fallback) => (both ? both[lang() === "zh" ? 1 : 0] : fallback);

const GAMES = {
  guan_pai: ["Guan Pai", "关牌", "Shut-out: three players shed their cards, bombs double.", "三人比先出完，炸弹翻倍。"],
  zheng_shang_you: ["Zheng Shang You", "争上游", "Struggle upstream: four players, one deck or two, flush straights.", "四人争先出完，一副或两副牌，有同花顺。"],
  diao_xie: ["Diao Xie", "钓蟹", "Crab fishing: two cards and a bet against the pot.", "两张牌，与底池对赌。"],
  xiangxi96: ["Xiangxi 96", "湘西96扑克", "Draw, claim and meld from a pack of 96.", "九十六张牌，吃碰招走。"],
};
export const gameName = (game) => at(GAMES[game], game);
export const gameNote = (game) => at(GAMES[game].slice(2), "");

// The notes are those of the rules in English; the Chinese ones are here.
const OPTIONS = {
  must_beat: ["must beat", "有大必出", "能管时是否必须管：不必、非炸弹必须、都必须。"],
  lead_diamond_three: ["lead 3♦", "首出方块三", "首轮出牌必须含方块三。"],
  short_plane_follow: ["short plane follows", "短飞机可跟", "最后一手翅膀不足的飞机也可以管完整的。"],
  dingda: ["dingda (top card)", "顶大", "下家只剩一张时出单张要出最大：包赔、强制、或不管。"],
  bomb_doubling: ["bombs double", "炸弹翻倍", "哪些炸弹使输分翻倍。"],
  loss_cap: ["loss cap", "封顶", "一家最多输多少分，或不封顶。"],
  base: ["base", "底分", "每分的分值。"],
  cards_each: ["cards each", "每家张数", "每家只发这么多张，用于小局。"],
  decks: ["decks", "副数", "一副牌每家 13 张，两副牌每家 27 张。"],
  pass_lockout: ["pass locks out", "不出即止", "不出之后，本轮不能再出。"],
  lead_spade_three: ["lead 3♠", "首出黑桃三", "首轮出牌必须含黑桃三。"],
  distinct_wings: ["distinct wings", "翅膀各异", "飞机的翅膀点数须各不相同，也不同于机身。"],
  num_players: ["players", "人数", "玩家人数。"],
  betting: ["betting", "下注", "对底池各行动一次，或限注轮流下注。"],
  hands: ["hands", "手数", "一局几手；底池、赔底和头家延续。"],
  counter_carry: ["counter carry", "头家反带", "最后一家行动后，头家可以加注。"],
  fold_penalty: ["fold penalty", "赔底", "弃了比赢家更大的牌，须赔底。"],
  supreme_bonus: ["supreme bonus", "至尊奖", "有至尊宝的一家，其他每家付一份底。"],
  scoring: ["scoring", "计分", "每五胡息加一分（逢升），或两级（大小胡）。"],
  zhao_extra: ["zhao extra", "招加息", "招、双龙的配牌：荤才加一胡息，或都加。"],
  red_face_is_red: ["red J Q K are red", "红花算红", "红色 J、Q、K 的三张四张按红牌计。"],
  split_table_sentence: ["split a laid sentence", "桌句可拆", "胡牌时，桌上的句可与胡的牌读作两口。"],
  pig_points: ["pig points", "猪分", "被抓猪向每家付的分。"],
};
export const optionName = (name) => at(OPTIONS[name], name.replaceAll("_", " "));
export const optionNote = (option) => (lang() === "zh" && OPTIONS[option.name]?.[2]) || option.note;

const VALUES = {
  off: ["off", "不必"], non_bomb: ["without bombs", "非炸弹必出"], all: ["always", "都"], liability: ["liability", "包赔"],
  forced: ["forced", "强制"], every_bomb: ["every bomb", "每个炸弹"], once: ["once", "只翻一次"], winner_only: ["the winner's", "赢家的"],
  pot: ["against the pot", "对底池"], limit: ["fixed limit", "限注"], feng_sheng: ["feng sheng 逢升", "逢升"],
  big_small: ["big and small 大小胡", "大小胡"], hun: ["hun 荤", "荤"],
};
export const valueName = (value) => at(VALUES[value], String(value));

// --- cards ---
const SUITS = { S: ["spades", "黑桃"], H: ["hearts", "红桃"], D: ["diamonds", "方块"], C: ["clubs", "梅花"] };
const RANKS = { T: "10", J: ["jack", "J"], Q: ["queen", "Q"], K: ["king", "K"], A: ["ace", "A"] };
const SIGNS = { S: "♠", H: "♥", D: "♦", C: "♣" };
const rankName = (rank) => (Array.isArray(RANKS[rank]) ? at(RANKS[rank]) : RANKS[rank] || rank);

export function cardName(card) {
  if (card === "x") return at(["small joker", "小王"]);
  if (card === "X") return at(["big joker", "大王"]);
  if (card[0] === "r") return at([`red ${rankName(card[1])}`, `红${rankName(card[1])}`]);
  if (card[0] === "b") return at([`black ${rankName(card[1])}`, `黑${rankName(card[1])}`]);
  return at([`${rankName(card[0])} of ${SUITS[card[1]][0]}`, `${SUITS[card[1]][1]}${rankName(card[0])}`]);
}

export function cardShort(card) {
  if (card === "x" || card === "X") return cardName(card);
  if (card[0] === "r" || card[0] === "b") return at([cardName(card), cardName(card)]);
  return `${card[0] === "T" ? "10" : card[0]}${SIGNS[card[1]]}`;
}

// --- plays, claims, bets, events ---
const PLAYS = {
  pass: ["pass", "不出"], single: ["single", "单张"], pair: ["pair", "对子"], triple: ["triple", "三张"],
  triple_with_one: ["triple with one", "三带一"], triple_with_two: ["triple with two", "三带二"], straight: ["straight", "顺子"],
  flush_straight: ["flush straight", "同花顺"], pair_chain: ["pair chain", "连对"], triple_chain: ["triple chain", "三顺"],
  triple_chain_with_wings: ["plane with wings", "飞机带翅膀"], triple_chain_with_pairs: ["plane with pairs", "飞机带翅膀"],
  four_with_two: ["four with two", "四带二"], full_house: ["full house", "三带二"], bomb: ["bomb", "炸弹"], joker_bomb: ["joker bomb", "天王炸弹"],
  fold: ["Fold", "弃"], eat: ["Eat", "吃"], touch1: ["Touch", "碰"], touch2: ["Touch", "碰"], touch3: ["Touch", "碰"], touch4: ["Touch", "碰"],
  carry: ["Carry", "带"], counter_carry: ["Counter carry", "头家反带"], no_carry: ["No carry", "不反带"], call: ["Call", "跟"], raise: ["Raise", "加注"],
  hu: ["Win (hu)", "胡"], chi_hand: ["Chi from hand", "吃（手牌）"], chi_table: ["Chi on the table", "吃（桌口）"], chi_half: ["Fill the half zhao", "吃（补半招）"],
  tie: ["Tie", "贴"], discard: ["discard", "打"],
};
export const playName = (name, game) => (name === "pass" && game === "xiangxi96" ? at(["Pass", "过"]) : at(PLAYS[name], name));

const rankShort = (key) => (key === "T" ? "10" : key === "x" ? at(["small joker", "小王"]) : key === "X" ? at(["big joker", "大王"]) : key);

// A play in words: "pair 5", "discard red 7", "touch 2".
export function playText(play, game) {
  if (play.name === "discard") return `${playName("discard")}${at([" ", ""])}${cardName(play.cards[0])}`;
  if (["diao_xie", "xiangxi96"].includes(game) || !play.key) return playName(play.name, game);
  const name = playName(play.name, game);
  const key = rankShort(play.key);
  if (lang() === "zh" || play.name === "single") return `${name} ${key}`;
  if (/straight|chain|wings|pairs$/.test(play.name)) return `${name} to ${key}`;
  return `${name}${/_/.test(play.name) ? "," : " of"} ${key}s`;
}

const EVENTS = {
  flip: ["turns", "翻"], dragon: ["lays a dragon (long)", "龙"], zou: ["lays four of a kind (zou)", "走"], shao: ["lays three of a kind (shao)", "勺"],
  peng: ["takes three of a kind (peng)", "碰"], chi_hand: ["takes a sentence (chi)", "吃"], chi_table: ["fills a mouth (chi)", "吃（桌口）"],
  chi_half: ["fills the half zhao (chi)", "吃（补半招）"], credit: ["spends a credit (ren), no discard", "用忍，不打牌"], pig: ["is the pig (zhua zhu)", "被抓猪"],
  exhausted: ["finds the stock exhausted (huang zhuang)", "荒庄"], shows: ["shows", "亮牌"], wins: ["wins the hand", "赢下这一手"],
};
export const eventName = (event) => at(EVENTS[event], event);

const UNITS = {
  tie: ["tie", "贴"], chi: ["chi", "吃"], kou: ["mouth (kou)", "口"], ju: ["sentence (ju)", "句"], peng: ["peng", "碰"], shao: ["shao", "勺"],
  kan: ["kan", "坎"], zou: ["zou", "走"], ban: ["half zhao", "半招"], man: ["full zhao", "满招"], shuang: ["double dragon", "双龙"],
};
export const unitName = (type) => at(UNITS[type], type);

// The cards of a unit of Xiangxi 96, fours and threes written out.
export function unitCards(unit) {
  const times = { peng: 3, shao: 3, kan: 3, zou: 4, ban: 4, man: 4 }[unit.type];
  if (unit.type === "shuang") return [...unit.cards.flatMap((card) => [card, card, card, card]), ...unit.with];
  if (times) return [...Array(times).fill(unit.card), ...(unit.with || [])];
  return unit.cards;
}

export function agentName(name) {
  if (name === "you") return at(["you", "你"]);
  if (name === "guest") return at(["another person", "另一位玩家"]);
  return name.replace(/run:\d+\//, "").replace(/:+$/, "") || "?";
}
