"""Names of people and places for generated auctions."""

FIRST_NAMES = tuple(
    """
Amara Bilal Chen Dagny Elif Farid Greta Hiro Ines Jonas Keiko Lars Mei Nadia Omar Priya Quentin Rosa Sven Tariq Uma
Viktor Wanda Ximena Yusuf Zofia Anders Brigid Carlos Dmitri Esther Fatima Gustav Hana Imran Julia Kofi Leila Mateo Nils
""".split()
)
LAST_NAMES = tuple(
    """
Abara Bergman Castillo Dvorak Eriksen Fontaine Gupta Haddad Ivanov Jansen Kowalski Lindqvist Moreau Nakamura Okafor
Petrov Quiroga Rossi Schmidt Tanaka Ueda Vasquez Weber Xu Yilmaz Zeman Almeida Banerjee Costa Duarte Engel Fischer
""".split()
)
CITIES = (
    "Lisbon",
    "Oslo",
    "Nairobi",
    "Kyoto",
    "Quito",
    "Tallinn",
    "Dakar",
    "Perth",
    "Boston",
    "Bergen",
    "Cusco",
    "Hanoi",
)
COUNTRIES = (
    "United States", "Portugal", "Norway", "Kenya", "Japan", "Ecuador", "Estonia", "Senegal", "Australia", "Peru",
    "Viet Nam",    "Moldova, Republic Of", "Germany", "Brazil",
)  # fmt: skip
PROVINCES = ("Vermont", "Oregon", "Maine", "Utah", "Texas", "Idaho")
DOMAINS = ("example.com", "example.org", "example.net", "auctions.example", "mail.example", "uni.example")
