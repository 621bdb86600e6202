"""Signs near a line that it belongs to an address: a contact label, a phone number, a web address.

A street without a type beside a town without a postcode ("Dao 273 / Marikina") is believed only
next to one of them.
"""

import re

from toponaut.places.addresses.quick_pattern import has_any

_BEFORE, _AFTER = 160, 160  # characters: a heading and one or two lines
# Beginnings of words, looked for in lower case: ten times as fast as one pattern.
_LABELS = (
    "contact kontakt contatt contato yhteys adres addres direcci indirizz endereç "
    "endereco morada osoite aadress naslov heimilisfang visit find\xa0us locat anfahrt "
    "impressum imprint besuch besök branch headquarter showroom siège ubicaci localiza "
    "alamat địa\xa0chỉ liên\xa0hệ iletişim адрес контакт зв'язок 地址 聯絡 联系 住所 "
    "所在地 アクセス 연락처 주소 오시는 العنوان عنوان اتصل تواصل כתובת צור\xa0קשר "
    "διεύθυνση επικοινων հասցե კონტაქტ მისამართ ที่อยู่ ติดต่อ पता সংযোগ ঠিকানা əlaqə "
    "ünvan manzil мекен дарек суроға"
)
LABELS = tuple(word.replace("\xa0", " ") for word in _LABELS.split(" "))
_REACH = tuple(
    "tel. tel: tel\n phone fax: fax. telefon @ ☎ ✆ www. mobil tlf gsm: e-mail тел. факс 電話 电话 "
    "전화 هاتف טלפון τηλ".split(" ")
)
_PHONE = re.compile(r"\+\d{1,3}[\s(\d]|(?<!\d)0\d{1,4}[\s/-]\d")


def is_contact(text: str, start: int, end: int) -> bool:
    """Whether the surroundings of a span speak of an address."""
    before = text[max(0, start - _BEFORE) : start].lower()
    if has_any(before, LABELS):
        return True
    after = text[end : end + _AFTER].lower()
    if has_any(after, _REACH) or has_any(before, _REACH):
        return True
    return bool(_PHONE.search(after) or _PHONE.search(before))
